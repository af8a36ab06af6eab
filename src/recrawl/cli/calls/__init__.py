"""Single calls from the command line, to a service or to the folder of a frontier."""
