import EndpointPlans

/// Where a run keeps what references lead to. A reference into a large value searches it, so a value that is
/// read several times is searched once.
struct PlanSlots {
    /// By slot.
    private(set) var isRepeated: [Bool] = []
    private var known: [Place: Int] = [:]

    /// Two references to a place may be written in two ways: `a.b` and `a['b']`.
    private struct Place: Hashable {
        let source: BoundReference.Source
        let path: ValuePath
    }

    /// The places in the body, by slot.
    var bodyPlaces: [Int: ValuePath] {
        var places: [Int: ValuePath] = [:]
        for (place, slot) in known where place.source == .body { places[slot] = place.path }
        return places
    }

    /// Returns the slot of a reference; nil for one that needs no search.
    ///
    /// - Parameters:
    ///   - reference: the reference. All to one place have one slot.
    ///   - isRepeated: whether one use reads it several times.
    mutating func slot(of reference: BoundReference, isRepeated: Bool) -> Int? {
        guard !reference.path.steps.isEmpty else { return nil }
        let place = Place(source: reference.source, path: reference.path)
        if let slot = known[place] {
            self.isRepeated[slot] = true
            return slot
        }
        known[place] = self.isRepeated.count
        self.isRepeated.append(isRepeated)
        return self.isRepeated.count - 1
    }
}
