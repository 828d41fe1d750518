/// Checks that the places in the map of the code, `Sources/README.md`, and in the page of changes exist.
enum CodeMap {
    /// A function in a file, written `Sources/A/B.swift` `c(_:)`.
    struct Place: Equatable {
        let path: String
        /// `c(_:)`
        let function: String
    }

    /// Returns the places that a text names, in order.
    static func places(in text: String) -> [Place] {
        text.matches(of: /`(Sources\/[^`\s]+\.swift)`\s+`([^`\s]+)`/).map {
            Place(path: String($0.1), function: String($0.2))
        }
    }

    /// Returns the lines of a section without its title.
    static func section(_ title: String, of text: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "## \(title)") else { return [] }
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("## ") })
    }

    /// Complains about each place whose file does not exist or does not declare the function.
    static func complaints(_ places: [Place], sources: [SourceFile]) -> [String] {
        places.compactMap { place in
            guard let file = sources.first(where: { $0.path == place.path }) else {
                return "\(place.path) does not exist"
            }
            guard declaredFunctions(in: file).contains(place.function) else {
                return "\(place.path) does not declare \(place.function)"
            }
            return nil
        }
    }

    /// Returns the functions and initializers that a file declares, such as `c(_:)`.
    static func declaredFunctions(in file: SourceFile) -> Set<String> {
        Set(
            file.text.matches(of: /(?m)^[^\/\n]*\b(?:func\s+(\w+)|(init)\??)(?:<[^(]*>)?\s*\(/).map { match in
                let name = match.1 ?? match.2 ?? ""
                return "\(name)(\(labels(file.text[match.range.upperBound...])))"
            })
    }

    /// Returns the labels of the parameters after an opening parenthesis, such as `_:for:`.
    private static func labels(_ text: Substring) -> String {
        var parameters: [String] = []
        var parameter = ""
        var depth = 0
        var last: Character = " "
        for character in text {
            if depth == 0, character == ")" || character == "," {
                parameters.append(parameter)
                parameter = ""
                if character == ")" { break }
            } else {
                parameter.append(character)
                switch character {
                case "(", "[", "{", "<": depth += 1
                case ")", "]", "}": depth -= 1
                case ">" where last != "-": depth -= 1
                default: break
                }
            }
            last = character
        }
        return parameters.compactMap { parameter in
            parameter.prefix { $0 != ":" }.split(whereSeparator: \.isWhitespace).first { !$0.hasPrefix("@") }
                .map { "\($0):" }
        }.joined()
    }
}
