/// The types of parameters and schemas.
package enum DataType: String, Sendable, CaseIterable {
    case string, integer, number, boolean, date
    case dateTime = "date-time"
    case uuid
    /// Of a parameter that may be repeated.
    case array

    package static let ofParameters: [DataType] = [
        .string, .integer, .number, .boolean, .date, .dateTime, .uuid,
    ]
}
