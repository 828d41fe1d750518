import JSONBytes

/// A `minimum` or a `maximum`.
package struct NumberBound: Sendable {
    /// A JSON number.
    let text: String
    private let value: Double

    package init(_ text: String) {
        self.text = text
        value = Double(text) ?? .nan
    }

    init(_ value: Double) { self.init(Int(exactly: value).map { "\($0)" } ?? "\(value)") }

    /// For messages.
    var shown: String { IntegerText.digits(of: text) ?? text }

    /// Whether a number is less than the bound.
    func isMore(than text: String, _ number: Double) -> Bool {
        // Rounding keeps the order, so only numbers that are rounded to the same one need their digits.
        number == value ? text != self.text && digits(text) < digits(self.text) : number < value
    }

    /// Whether a number is more than the bound.
    func isLess(than text: String, _ number: Double) -> Bool {
        number == value ? text != self.text && digits(self.text) < digits(text) : number > value
    }

    private func digits(_ text: String) -> DecimalDigits { DecimalDigits(text.utf8) }
}
