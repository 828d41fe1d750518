/// The envelope's `code` of answers with data.
enum SuccessCode {
    static let complete = "OK"
    static let partial = "PARTIAL"
}

extension RequestSummary {
    /// Whether the answer has data, but not of all parts.
    public var isPartial: Bool { code == SuccessCode.partial }
}
