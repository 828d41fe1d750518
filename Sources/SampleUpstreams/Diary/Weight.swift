internal import Sluice

/// A body weight in grams, so that it reads back exactly as it was written.
struct Weight: Hashable, Comparable, Sendable {
    let grams: Int

    /// The valid weights, in kilograms.
    static let range = 20.0...300.0

    init(grams: Int) { self.grams = grams }

    /// Rounds to the gram; nil outside 20 to 300 kg.
    init?(kilograms: Double) {
        guard Self.range.contains(kilograms) else { return nil }
        grams = Int((kilograms * 1000).rounded())
    }

    static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }

    /// Kilograms with at least one decimal place: `70.0`, `71.55`.
    var json: JSONLiteral { JSONLiteral(Double(grams) / 1000) }

    /// The tag of a half with this weight: `"70.0"`. A half without a weight has none.
    var entityTag: EntityTag? { EntityTag("\(json)") }

    /// Returns the mean, rounded to a tenth of a kilogram; nil without weights.
    static func mean(_ weights: [Weight]) -> Weight? {
        guard !weights.isEmpty else { return nil }
        let sum = weights.reduce(0) { $0 + $1.grams }
        let tenths = (sum + weights.count * 50) / (weights.count * 100)
        return Weight(grams: tenths * 100)
    }
}

enum DayHalf: String, CaseIterable, Sendable {
    case morning = "am"
    case evening = "pm"
}

/// The weights of a day or the means of a month; nil for a half without a weight.
struct WeightPair: Equatable, Sendable {
    var morning: Weight?
    var evening: Weight?

    var isEmpty: Bool { morning == nil && evening == nil }

    subscript(half: DayHalf) -> Weight? {
        get {
            switch half {
            case .morning: morning
            case .evening: evening
            }
        }
        set {
            switch half {
            case .morning: morning = newValue
            case .evening: evening = newValue
            }
        }
    }
}
