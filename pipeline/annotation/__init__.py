"""Human validation: clips and an offline form for annotators, and how far their answers agree."""
