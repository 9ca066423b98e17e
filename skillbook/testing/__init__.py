"""What skillbook is tested with, for your tests too: scripted models, servers, sites, a fake extension."""
