/// The known name that was likely meant, for messages.
package enum Suggestion {
    /// Longer names are not compared.
    private static let longestName = 64
    /// Further names are not compared.
    private static let mostNames = 500
    /// More names are not listed.
    private static let mostListed = 5

    /// Returns `; did you mean "optional"?`, or nothing if no name is near.
    package static func text(for name: String, among known: some Sequence<String>) -> String {
        nearest(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// Returns `; did you mean "user"?`; if no name is near, all of them, if they are few:
    /// `; there is "user"`.
    package static func textOrNames(for name: String, among known: some Sequence<String>) -> String {
        if let nearest = nearest(to: name, among: known) { return "; did you mean \"\(nearest)\"?" }
        let names = Array(known.prefix(mostListed + 1))
        guard (1...mostListed).contains(names.count) else { return "" }
        let shown = names.map { "\"\(Shown.text($0))\"" }
        return names.count == 1 ? "; there is \(shown[0])" : "; there are \(Words.list(shown, "and"))"
    }

    /// Returns the name with the fewest edits, at most one for each three characters; the first of equally
    /// near ones.
    package static func nearest(to name: String, among known: some Sequence<String>) -> String? {
        let bytes = Array(name.utf8)
        guard (1...longestName).contains(bytes.count) else { return nil }
        let lowercased = name.lowercased()
        var best: (name: String, edits: Int)?
        for candidate in known.prefix(mostNames) where candidate != name {
            let other = Array(candidate.utf8)
            let most = min(best.map { $0.edits - 1 } ?? .max, max(1, min(bytes.count, other.count) / 3))
            guard most >= 0, other.count <= longestName, abs(other.count - bytes.count) <= most else {
                continue
            }
            let edits = candidate.lowercased() == lowercased ? 0 : Self.edits(bytes, other)
            // One edit makes any one-letter name of another.
            if edits <= most, edits < max(bytes.count, other.count) { best = (candidate, edits) }
        }
        return best?.name ?? extended(lowercased, among: known)
    }

    /// Returns the only name that begins with a text of three or more letters: `integer` for `int`.
    private static func extended(_ text: String, among known: some Sequence<String>) -> String? {
        guard text.utf8.count >= 3 else { return nil }
        let names = known.prefix(mostNames).filter {
            $0.lowercased().hasPrefix(text) && $0.lowercased() != text
        }
        return names.count == 1 ? names[0] : nil
    }

    /// Returns how many characters are inserted, removed, replaced or swapped with the next (optimal string
    /// alignment).
    private static func edits(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 1...max(left.count, 1) where row <= left.count {
            var current = [row]
            current.reserveCapacity(right.count + 1)
            for column in 1...max(right.count, 1) where column <= right.count {
                let isSame = left[row - 1] == right[column - 1]
                var least = min(
                    last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1]
                {
                    least = min(least, beforeLast[column - 2] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}

/// Lists of words in messages.
package enum Words {
    /// Returns `debug, info or warning`.
    package static func list(_ words: [String], _ conjunction: String = "or") -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
