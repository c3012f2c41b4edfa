"""Reading by regions: the crops of a page's layout are read and joined."""
