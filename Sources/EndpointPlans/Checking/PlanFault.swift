/// Something wrong with a planned endpoint.
package struct PlanFault: Sendable, Equatable {
    /// The part, below the names of its groups: `weather.now`. Nil for the endpoint as a whole.
    package let part: String?
    package let message: String
    /// Where the file has it.
    package let place: ConfigPlace

    package init(part: String?, message: String, place: ConfigPlace = .code) {
        self.part = part
        self.message = message
        self.place = place
    }
}

extension ClosedRange<Int> {
    /// Returns why a number is out of range; nil if it is not.
    func fault(of name: String, _ value: Int) -> String? {
        contains(value) ? nil : "\(name): \(value) is not between \(lowerBound) and \(upperBound)"
    }
}
