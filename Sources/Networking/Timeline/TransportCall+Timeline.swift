extension TransportCall {
    /// Whether its request has a timeline. Asked for every call, and holds nothing meanwhile.
    package var isTimed: Bool { context?.timeline != nil }

    /// Where it stands in its request's timeline; nil where the request has none.
    package var timeline: TimelinePlace? { context?.timeline }

    /// The same call for the part of its request that subscribes to it: it may have been made before there were parts.
    @inline(never)
    func joiningPart(of current: CallContext?) -> TransportCall {
        guard let context else { return self }
        let joined = context.joining(current)
        return joined === context ? self : with(joined)
    }

    /// The same call with a place of its own.
    @inline(never)
    func enteringTimeline(from current: CallContext?) -> TransportCall {
        let call = joiningPart(of: current)
        guard let context = call.context, let place = context.timeline else { return call }
        return call.with(context.with(place.call(to: upstream.name, method)))
    }
}
