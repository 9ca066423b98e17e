"""What skillbook is tested with, for your own tests too: scripted models, servers, sites, a fake extension."""
