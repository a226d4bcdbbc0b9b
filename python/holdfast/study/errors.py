"""What a study refuses."""


class StudyError(ValueError):
    """A study, a store or a call that is refused; the message says what and where."""
