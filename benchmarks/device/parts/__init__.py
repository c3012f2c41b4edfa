"""The parts of the check, a module each: ``run(context, argument)`` measures and emits findings.

Each imports what it measures when it runs, so that an import that fails costs one part.
"""
