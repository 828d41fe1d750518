import EndpointPlans
import JSONBytes
import Networking

// What a template composes may have many times the bytes of what it reads, so it asks for memory first.
extension PlanScope {
    /// Is told how many bytes a value will have at most, or has so far, before they are copied. Throws if the
    /// memory for bodies has no room.
    private typealias Asking = (Int) throws(PlannedFailure) -> Void

    /// Returns the value of a part, which the request keeps. What a client has left out is null.
    func value(_ template: ValueTemplate<BoundReference>) throws(PlannedFailure) -> JSONFragment {
        var kept = 0
        let value = try compose(template) { bytes throws(PlannedFailure) in
            try keep(bytes - kept)
            kept = max(kept, bytes)
        }
        if case .reference(let reference) = template, reference.path.isList {
            let isKept = keptSlot(of: reference) != nil || values.found?[reference.slot ?? -1] != nil
            if !isKept { try keep(value.bytes.count) }
        }
        return value
    }

    /// Returns the body of a call, for which the memory must have room.
    func body(
        _ template: ValueTemplate<BoundReference>, of call: CallTemplate
    ) throws(PlannedFailure) -> [UInt8] {
        let value = try compose(template) { bytes throws(PlannedFailure) in
            try checkRoom(bytes, inBodyOf: call)
        }
        try checkRoom(value.bytes.count, inBodyOf: call)
        return Array(value.bytes)
    }

    private func compose(
        _ template: ValueTemplate<BoundReference>, _ ask: Asking
    ) throws(PlannedFailure) -> JSONFragment {
        switch template {
        case .constant(let value): return value
        case .reference(let reference):
            if let value = try json(reference) { return value }
            guard mayBeAbsent(reference) else { throw missing(reference) }
            return .null
        case .text(let text): return try compose(text, after: 0, ask)
        case .array, .object:
            var composer = JSONComposer()
            var bytes = 0
            try write(template, in: template, to: &composer, &bytes, ask)
            // Large elements are copied only now.
            try ask(composer.byteCount)
            return composer.fragment()
        }
    }

    /// - Parameters:
    ///   - whole: the template that has this one in it.
    ///   - bytes: how many bytes the elements before it have.
    private func write(
        _ template: ValueTemplate<BoundReference>, in whole: ValueTemplate<BoundReference>,
        to composer: inout JSONComposer, _ bytes: inout Int, _ ask: Asking
    ) throws(PlannedFailure) {
        switch template {
        case .array(let elements):
            composer.beginArray()
            for element in elements { try write(element, in: whole, to: &composer, &bytes, ask) }
            composer.endArray()
        case .object(let members):
            composer.beginObject()
            for (name, value) in members {
                composer.key(name)
                try write(value, in: whole, to: &composer, &bytes, ask)
            }
            composer.endObject()
        case .text(let text):
            try write(try compose(text, after: bytes, ask), in: whole, to: &composer, &bytes)
        case .constant, .reference:
            try write(try compose(template, ask), in: whole, to: &composer, &bytes)
        }
    }

    private func write(
        _ value: JSONFragment, in whole: ValueTemplate<BoundReference>, to composer: inout JSONComposer,
        _ bytes: inout Int
    ) throws(PlannedFailure) {
        bytes += value.bytes.count
        guard bytes <= largestValue else { throw tooLarge(whole.references) }
        composer.fragment(value)
    }

    private func compose(
        _ text: TextTemplate<BoundReference>, after bytes: Int, _ ask: Asking
    ) throws(PlannedFailure) -> JSONFragment {
        try ask(bytes + longestLength(of: text))
        guard let text = try self.text(text) else { return .null }
        let value = JSONFragment(string: text)
        // A parameter may have characters that are longer in JSON.
        try ask(bytes + value.bytes.count)
        return value
    }

    /// Returns the bytes of a text, as if nothing in the JSON that it reads were escaped.
    private func longestLength(of text: TextTemplate<BoundReference>) throws(PlannedFailure) -> Int {
        var bytes = 2
        for piece in text.pieces {
            switch piece {
            case .text(let constant): bytes += constant.utf8.count
            case .reference(let reference):
                if case .parameter(let index) = reference.source {
                    bytes += values.parameters[index]?.text.utf8.count ?? 0
                } else {
                    bytes += try json(reference)?.bytes.count ?? 0
                }
            }
        }
        return bytes
    }
}
