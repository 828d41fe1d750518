internal import JSONBytes

/// A body weight, kept in grams so that what was written comes back as it was.
struct Weight: Hashable, Comparable, Sendable {
    let grams: Int

    /// What a record may hold, in kilograms.
    static let range = 20.0...300.0

    init(grams: Int) { self.grams = grams }

    /// Rounds to the gram; nil outside 20 to 300 kg.
    init?(kilograms: Double) {
        guard Self.range.contains(kilograms) else { return nil }
        grams = Int((kilograms * 1000).rounded())
    }

    static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }

    /// Appends kilograms with at least one decimal place: `70.0`, `71.55`.
    func append(to composer: inout JSONComposer) {
        if grams % 100 == 0 {
            composer.fixed(grams / 100, places: 1)
        } else if grams % 10 == 0 {
            composer.fixed(grams / 10, places: 2)
        } else {
            composer.fixed(grams, places: 3)
        }
    }

    /// The mean to a tenth of a kilogram; nil of nothing.
    static func mean(_ weights: [Weight]) -> Weight? {
        guard !weights.isEmpty else { return nil }
        let sum = weights.reduce(0) { $0 + $1.grams }
        let tenths = (sum + weights.count * 50) / (weights.count * 100)
        return Weight(grams: tenths * 100)
    }
}

/// The halves of a day that have a weight each.
enum DayHalf: String, CaseIterable, Sendable {
    case morning = "am"
    case evening = "pm"
}

/// The weights of a day or the means of a month; a half without one is nil.
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
