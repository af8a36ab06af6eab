"""What a change found on one page says about the other pages of its folder."""
