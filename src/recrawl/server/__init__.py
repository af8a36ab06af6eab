"""The service: a frontier over HTTP, and the dashboard that shows how it is doing."""
