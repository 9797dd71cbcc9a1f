"""Forward selection by the cross-validated score of linear regression."""
