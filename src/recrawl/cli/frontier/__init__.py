"""Commands on the folder of a frontier that nobody has open: export, import, check, backup."""
