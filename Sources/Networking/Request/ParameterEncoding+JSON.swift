import JSONBytes

extension ParameterEncoding {
    func object(of parameters: inout Parameters) throws(RequestFault) -> ArraySlice<UInt8> {
        var names: Set<String> = []
        var composer = JSONComposer()
        composer.beginObject()
        try parameters.visit { (entry) throws(RequestFault) in
            try write(entry.0, entry.1.parameterValue, &names, to: &composer)
        }
        composer.endObject()
        return composer.fragment().bytes
    }

    /// Writes one member of an object. `names` are the names written so far.
    private func write(
        _ name: String, _ value: ParameterValue, _ names: inout Set<String>, to composer: inout JSONComposer
    ) throws(RequestFault) {
        guard value != .absent else { return }
        guard names.insert(name).inserted else {
            throw RequestFault(.parameters, "parameter \(name) occurs twice in a JSON object")
        }
        composer.key(name)
        try write(value, named: name, to: &composer)
    }

    private func write(
        _ value: ParameterValue, named name: String, to composer: inout JSONComposer
    ) throws(RequestFault) {
        switch value {
        case .absent, .null: composer.null()
        case .text(let text): composer.string(text)
        case .integer(let integer): composer.int(Int(integer))
        case .flag(let flag): composer.bool(flag)
        case .number(let number):
            guard number.isFinite else {
                throw RequestFault(.parameters, "parameter \(name) is not a finite number")
            }
            if rules.omitsZeroFraction, let whole = Int(exactly: number) {
                composer.int(whole)
            } else {
                composer.double(number)
            }
        case .list(let values):
            composer.beginArray()
            for value in values {
                try write(value, named: name, to: &composer)
            }
            composer.endArray()
        case .object(let members):
            var names: Set<String> = []
            composer.beginObject()
            for member in members { try write(member.name, member.value, &names, to: &composer) }
            composer.endObject()
        }
    }
}
