/// The public functions, initializers and settable properties that take a number or a time.
enum PublicNumbers {
    private static let types: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double",
        "Float", "Duration", "RxTimeInterval", "DispatchTimeInterval", "TimeInterval", "RxTime", "Date",
    ]

    /// Returns their names: `take(_:)`, `init(maxAttempts:backoff:)`, `var maxAttempts`.
    static func names(in file: SourceFile) -> Set<String> {
        let lines = file.lines.map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }
        return Set(lines.compactMap(property)).union(functions(in: lines.joined(separator: "\n")))
    }

    private static func property(_ line: Substring) -> String? {
        let pattern = /public var (\w+)(?:: ?(\w+)\??)?(?: = ([^{]+?))?( \{)?/
        guard let match = line.wholeMatch(of: pattern) else { return nil }
        let (_, name, type, value, brace) = match.output
        // Braces without a value belong to a computed property, others to an observed one.
        if brace != nil, value == nil { return nil }
        if let type { return types.contains(String(type)) ? "var \(name)" : nil }
        let isNumber = value?.prefixMatch(of: /-?\d|\.seconds|\.milliseconds|Duration\./) != nil
        return isNumber ? "var \(name)" : nil
    }

    private static func functions(in text: String) -> [String] {
        let pattern = /(?:public|open)(?: [a-z]+(?:\([a-z]+\))?)* (?:func ([\w`]+)|init\??)(?:<[^(]*>)?\(/
        return text.matches(of: pattern).compactMap { match in
            let parameters = parameters(text[match.range.upperBound...])
            guard parameters.contains(where: takesNumber) else { return nil }
            let labels = parameters.map { String($0.prefix { $0 != " " && $0 != ":" }) + ":" }.joined()
            return "\(match.output.1 ?? "init")(\(labels))"
        }
    }

    /// Splits a list of parameters at its commas, up to the parenthesis that ends it.
    private static func parameters(_ text: Substring) -> [Substring] {
        var parameters: [Substring] = []
        var start = text.startIndex
        var depth = 0
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            switch character {
            case "(", "[", "{": depth += 1
            case "<" where previous.isLetter || previous.isNumber: depth += 1
            case ">" where previous != "-" && depth > 0: depth -= 1
            case "," where depth == 0, ")" where depth == 0:
                let parameter = text[start..<index].drop(while: \.isWhitespace)
                if !parameter.isEmpty { parameters.append(parameter) }
                start = text.index(after: index)
                if character == ")" { return parameters }
            case ")", "]", "}": depth -= 1
            default: break
            }
            previous = character
        }
        return parameters
    }

    private static func takesNumber(_ parameter: Substring) -> Bool {
        guard let colon = parameter.firstIndex(of: ":") else { return false }
        let type = parameter[parameter.index(after: colon)...].drop(while: \.isWhitespace)
        let pattern = /(?:inout |consuming |borrowing )?(\w+)\??(?=\s*=|\s*$)/
        guard let match = type.prefixMatch(of: pattern) else { return false }
        return types.contains(String(match.output.1))
    }
}
