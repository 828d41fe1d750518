/// The types of parameters and schemas.
package enum DataType: String, Sendable, CaseIterable {
    case string, integer, number, boolean, date
    case dateTime = "date-time"
    case uuid
    /// Only in schemas.
    case object, array

    package static let ofParameters: [DataType] = [
        .string, .integer, .number, .boolean, .date, .dateTime, .uuid,
    ]
}
