// Names and separators are strings, also for fields: among the arguments of `parameters`, the compiler does
// not turn a literal into another type.

extension Parameter where Value: RequestValue {
    /// The percent-decoded segment that matches `{name}`.
    public static func path(_ name: String, as type: Value.Type = Value.self) -> Parameter {
        one(.path, name)
    }

    /// A query parameter, which must be given once.
    public static func query(_ name: String, as type: Value.Type = Value.self) -> Parameter {
        one(.query, name)
    }

    /// A field of the request's head, which must be given once, in UTF-8.
    public static func field(_ name: String, as type: Value.Type = Value.self) -> Parameter {
        one(.field, name)
    }

    /// A cookie, which must be given once.
    public static func cookie(_ name: String, as type: Value.Type = Value.self) -> Parameter {
        one(.cookie, name)
    }

    private static func one(_ place: ParameterPlace, _ name: String) -> Parameter {
        Parameter(place, name, rule: Value.rule) { $0.first.flatMap { Value(requestText: $0) } }
    }
}

extension Parameter {
    /// A query parameter that may be absent: nil then.
    public static func query<Wrapped: RequestValue>(
        ifPresent name: String, as type: Wrapped.Type = Wrapped.self
    ) -> Parameter where Value == Wrapped? {
        optional(.query, name)
    }

    /// A field of the request's head that may be absent: nil then.
    public static func field<Wrapped: RequestValue>(
        ifPresent name: String, as type: Wrapped.Type = Wrapped.self
    ) -> Parameter where Value == Wrapped? {
        optional(.field, name)
    }

    /// A cookie that may be absent: nil then.
    public static func cookie<Wrapped: RequestValue>(
        ifPresent name: String, as type: Wrapped.Type = Wrapped.self
    ) -> Parameter where Value == Wrapped? {
        optional(.cookie, name)
    }

    private static func optional<Wrapped: RequestValue>(
        _ place: ParameterPlace, _ name: String
    ) -> Parameter where Value == Wrapped? {
        Parameter(place, name, rule: Wrapped.rule, absent: .some(nil)) { texts in
            texts.first.flatMap { Wrapped(requestText: $0) }.map { .some($0) }
        }
    }

    /// A query parameter with several values: given repeatedly, `tag=a&tag=b`, or as one text, `tags=a,b`, if
    /// there is a separator.
    ///
    /// - Parameters:
    ///   - name: the parameter's name.
    ///   - type: what each value is read as.
    ///   - count: how many values there may be. Default at most 100. Absent means none.
    ///   - separator: separates values in one text. Default nil: each text is one value.
    public static func query<Element: RequestValue>(
        _ name: String, listOf type: Element.Type, count: ClosedRange<Int> = 0...100,
        separator: String? = nil
    ) -> Parameter where Value == [Element] {
        list(.query, name, count, separator)
    }

    /// A field with several values, separated by commas (RFC 9110 5.6.1).
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - type: what each value is read as.
    ///   - count: how many values there may be. Default at most 100. Absent means none.
    public static func field<Element: RequestValue>(
        _ name: String, listOf type: Element.Type, count: ClosedRange<Int> = 0...100
    ) -> Parameter where Value == [Element] {
        list(.field, name, count, ",")
    }

    private static func list<Element: RequestValue>(
        _ place: ParameterPlace, _ name: String, _ count: ClosedRange<Int>, _ separator: String?
    ) -> Parameter where Value == [Element] {
        let rule = "\(count.lowerBound) to \(count.upperBound) values, each \(Element.rule)"
        return Parameter(place, name, rule: rule, absent: count.contains(0) ? [] : nil, isList: true) {
            texts in
            var values: [Element] = []
            for text in texts {
                let parts = separator.map { text.split(separator: $0, omittingEmptySubsequences: false) }
                for part in parts ?? [text[...]] {
                    let trimmed = place == .field ? trimmed(part) : String(part)
                    // RFC 9110 5.6.1.2: a recipient ignores empty elements of a field's list.
                    if place == .field, trimmed.isEmpty { continue }
                    guard values.count < count.upperBound, let value = Element(requestText: trimmed) else {
                        return nil
                    }
                    values.append(value)
                }
            }
            return count.contains(values.count) ? values : nil
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: blank)
        return String(start.reversed().drop(while: blank).reversed())
    }
}

extension Parameter where Value: RequestValue & Comparable {
    /// Returns the parameter with a range for its value.
    public func `in`(_ range: ClosedRange<Value>) -> Parameter {
        restricted(range.requestRule) { range.contains($0) }
    }
}

extension Parameter where Value == String {
    /// Returns the parameter with a range for the number of its characters.
    public func length(_ range: ClosedRange<Int>) -> Parameter {
        restricted("text of \(range.lowerBound) to \(range.upperBound) characters") {
            range.contains($0.count)
        }
    }
}
