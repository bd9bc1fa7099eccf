"""What a corpus tells of itself to people and catalogues: data card, Croissant metadata, licences."""
