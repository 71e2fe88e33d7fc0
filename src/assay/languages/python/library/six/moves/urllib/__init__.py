"""Its parts are modules."""
