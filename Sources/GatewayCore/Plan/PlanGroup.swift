import EndpointPlans
@_spi(Lines) import JSONBytes

/// A group of parts. Its members are leaves; its object exists only in `data`, and where a reference reads
/// it.
struct PlanGroup: Sendable {
    /// Below the names of its groups.
    let name: String
    /// The numbers of the leaves in it and in its groups.
    var leaves: Range<Int>
    /// Its own condition and the conditions of the groups around it.
    let conditions: [BoundCondition]
    /// How references read it; nil if none does.
    var value: Value?

    /// The object that references read: the object in `data`, before the group's own `keep`, `drop` and
    /// `rename`.
    struct Value: Sendable {
        let layout: PartLayout
        /// What the values of its leaves go through, by their numbers.
        let leaves: [Int: LeafLayout]
    }
}

/// What the value of a leaf goes through on its way into an object.
struct LeafLayout: Sendable {
    /// Its own shape, then its groups' shapes, from the inside.
    var shapes: [JSONShape]
    /// What stands for it if it failed, shaped by its groups.
    var fallback: JSONFragment?
}

/// How the parts of a layout have ended. Parts are named by their index in the answer.
protocol PartEnds {
    /// How grave the failure of a part is; nil if it has not failed.
    func rank(of part: Int) -> Int?
    /// Whether elements of the part's array failed, but not the part.
    func hasFailedItems(_ part: Int) -> Bool
    /// Returns what stands in the object for a part.
    func value(at part: Int) -> JSONFragment
}

extension PartResults: PartEnds {
    func rank(of part: Int) -> Int? { parts[part].failure?.answer.rank }
    func hasFailedItems(_ part: Int) -> Bool { parts[part].outcome?.failedItems != nil }
}

/// The parts that a reference to a group reads.
private struct GroupEnds: PartEnds {
    let group: PlanGroup.Value
    let ended: [PlanRun.Ended?]
    let stepCount: Int

    func rank(of part: Int) -> Int? {
        if case .failed(let failure)? = ended[stepCount + part] { failure.answer.rank } else { nil }
    }

    /// Readers see the array. Only the answer says which of its elements failed.
    func hasFailedItems(_ part: Int) -> Bool { false }

    func value(at part: Int) -> JSONFragment {
        let leaf = group.leaves[stepCount + part]
        guard case .value(let value)? = ended[stepCount + part] else { return leaf?.fallback ?? .null }
        // A value that does not fit has failed its part before.
        return (try? leaf?.shapes.applied(to: value)) ?? value
    }
}

extension PlanGroup.Value {
    /// Returns the object, or the failure that decides, once all leaves of the group have ended.
    func end(_ ended: [PlanRun.Ended?], _ run: PlanRun) -> PlanRun.Ended {
        let ends = GroupEnds(group: self, ended: ended, stepCount: run.plan.stepCount)
        if case .failed(let part) = layout.verdict(ends, run),
            case .failed(let failure)? = ended[run.plan.stepCount + part]
        {
            return .failed(failure)
        }
        let size = layout.dataBytes(ends, run)
        guard size <= run.plan.largestValue else {
            return .failed(
                PartFailure(
                    .unusableResponse("the value has more than \(run.plan.largestValue) bytes"), elapsed: 0))
        }
        do throws(PlannedFailure) {
            try PlanScope(run).keep(size)
        } catch {
            return .failed(PartFailure(error, elapsed: 0))
        }
        let bytes = JSONLine.array(capacity: size) { line in
            var shared = SharedFragments(from: .max)
            layout.write(ends, run, to: &line, &shared)
        }
        return .value(JSONFragment(valid: bytes[...]))
    }
}
