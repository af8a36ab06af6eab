"""Being told of changes: a small server for IndexNow pings and WebSub deliveries, and subscriptions to hubs."""
