/// Bounds of what is read from a file. The defaults suffice for thousands of endpoints.
struct YAMLLimits: Sendable {
    /// Nested lists and mappings, with each use of an anchor counted where it is used.
    var levels = 32
    /// Values and keys of all files, with each use of an anchor counted.
    var nodes = 1_000_000
}
