"""Reading by regions: a page is read in crops that its layout gives, and put together again."""
