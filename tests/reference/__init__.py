"""An independent reference: the papers' formulas at 50 digits, without numpy and without posenc."""
