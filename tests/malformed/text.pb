no tensor at all
