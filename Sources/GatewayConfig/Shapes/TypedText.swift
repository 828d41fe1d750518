import ASCIIText
import EndpointPlans
import JSONBytes

/// Values of a type, as a file has them.
enum TypedText {
    /// Returns a scalar of the type as JSON; nil after a problem.
    static func read(
        _ node: YAMLNode, _ type: DataType, _ subject: Subject, _ reader: ConfigReader
    ) -> Located<JSONFragment>? {
        guard let scalar = reader.scalar(node, subject) else { return nil }
        guard !scalar.isUnknown else { return Located(.null, at: node.place) }
        guard let fragment = fragment(scalar, type) else {
            reader.error(
                "\(subject.text): \(ScalarFault.shown(scalar)) is not \(describe(type))", at: node.place)
            return nil
        }
        return Located(fragment, at: node.place)
    }

    /// A string takes numbers and Booleans as they are written.
    private static func fragment(_ scalar: YAMLScalar, _ type: DataType) -> JSONFragment? {
        let string = JSONFragment(string: scalar.text)
        switch (type, YAMLValue(scalar)) {
        case (.string, _): return string
        case (.integer, .integer(let text)), (.number, .integer(let text)), (.number, .decimal(let text)):
            return try? JSONFragment(parsing: text)
        case (.boolean, .bool(let value)): return JSONLiteral(value).fragment
        case (.date, .text): return isDate(scalar.text) ? string : nil
        case (.dateTime, .text): return InternetTime(scalar.text) == nil ? nil : string
        case (.uuid, _): return isUUID(scalar.text) ? string : nil
        default: return nil
        }
    }

    private static func describe(_ type: DataType) -> String {
        switch type {
        case .string: "text; quote it"
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .date: "a date such as 2026-11-20"
        case .dateTime: "a time such as 2026-11-20T08:00:00Z"
        case .uuid: "a UUID"
        case .array: "a list"
        }
    }

    private static func isDate(_ text: String) -> Bool {
        guard text.utf8.count == 10 else { return false }
        var text = text
        return text.withUTF8 { GregorianCalendar.date(UnsafeRawBufferPointer($0)) != nil }
    }

    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == Byte.minus : ASCII.hexValue(byte) != nil
            }
    }
}
