"""Load and speed of ``docspec serve``, measured on loopback in front of stand-ins and of a real vLLM."""
