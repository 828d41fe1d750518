/// What a form of type `multipart/form-data` may use. The endpoint's `.bodyLimit` bounds the whole form, and
/// so each file.
public struct MultipartLimits: Sendable, Hashable {
    /// Most parts of a form. Default 100. Beyond it: 413.
    public var parts = 100
    /// Bytes of one part's head. Default 8 KiB. Beyond it: 400.
    public var head = 8 * 1024
    /// Most header fields of one part. Default 16. Beyond it: 400.
    public var headFields = 16
    /// Bytes of one field read with `MultipartPart.text()`. Default 64 KiB. Beyond it: 413.
    public var fieldValue = 64 * 1024

    /// Longest boundary, in bytes (RFC 2046 5.1.1). Beyond it: 400.
    public static let boundary = 70

    /// Creates limits with the defaults.
    public init() {}
}
