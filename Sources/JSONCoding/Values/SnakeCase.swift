/// Converts between `first_name` and `firstName` like Foundation's key strategies.
enum SnakeCase {
    /// Leading and trailing underscores stay. A single word is not changed.
    static func camelCase(_ name: String) -> String {
        let inner = name.drop { $0 == "_" }
        let leading = name[..<inner.startIndex]
        let end = inner.lastIndex { $0 != "_" }.map(inner.index(after:)) ?? inner.endIndex
        let words = inner[..<end].split(separator: "_")
        guard let first = words.first, words.count > 1 else { return name }
        return leading + first.lowercased() + words.dropFirst().map(capitalized).joined() + inner[end...]
    }

    /// Capitalizes the first letter of each run of letters and lowercases the others.
    private static func capitalized(_ word: Substring) -> String {
        var text = ""
        var isInside = false
        for character in word {
            text += isInside ? character.lowercased() : character.uppercased()
            isInside = character.isLetter || (isInside && character == "'")
        }
        return text
    }

    /// `myURLThing` becomes `my_url_thing`.
    static func snakeCase(_ name: String) -> String {
        guard !name.isEmpty else { return name }
        var words: [Range<String.Index>] = []
        var wordStart = name.startIndex
        var searched = name.index(after: wordStart)..<name.endIndex
        while let upper = name[searched].firstIndex(where: \.isUppercase) {
            words.append(wordStart..<upper)
            let rest = upper..<searched.upperBound
            guard let lower = name[rest].firstIndex(where: \.isLowercase) else {
                wordStart = upper
                break
            }
            if lower == name.index(after: upper) {
                wordStart = upper
            } else {
                // Several capitals in a row: the last one starts the next word.
                let before = name.index(before: lower)
                words.append(upper..<before)
                wordStart = before
            }
            searched = name.index(after: lower)..<searched.upperBound
        }
        words.append(wordStart..<name.endIndex)
        return words.map { name[$0].lowercased() }.joined(separator: "_")
    }
}
