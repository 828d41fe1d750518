/// How lines of a log look.
public enum LogFormat: String, Sendable, CaseIterable {
    /// A JSON object.
    case json
    /// Text for people, with colours on a terminal unless `NO_COLOR` is set (no-color.org).
    case text
    /// Text on a terminal, else JSON. Standard output and standard error each have their own.
    case auto
}
