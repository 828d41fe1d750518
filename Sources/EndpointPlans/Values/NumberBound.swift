import JSONBytes

/// A `minimum` or a `maximum`.
package struct NumberBound: Sendable {
    /// A JSON number.
    package let text: String
    private let value: Double

    package init(_ text: String) {
        self.text = text
        value = Double(text) ?? .nan
    }

    package init(_ value: Double) { self.init(Int(exactly: value).map { "\($0)" } ?? "\(value)") }

    /// For messages.
    package var shown: String { IntegerText.digits(of: text) ?? text }

    /// Whether a number is less than the bound.
    package func isMore(than text: String, _ number: Double) -> Bool {
        // Rounding keeps the order, so only numbers that are rounded to the same one need their digits.
        number == value ? text != self.text && digits(text) < digits(self.text) : number < value
    }

    /// Whether a number is more than the bound.
    package func isLess(than text: String, _ number: Double) -> Bool {
        number == value ? text != self.text && digits(self.text) < digits(text) : number > value
    }

    private func digits(_ text: String) -> DecimalDigits { DecimalDigits(text.utf8) }
}
