"""The centred Gram matrix of rows in memory."""
