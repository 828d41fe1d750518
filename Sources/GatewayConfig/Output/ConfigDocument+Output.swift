extension ConfigDocument {
    /// Whether a value has a variable in it, so that output must not show it.
    func isSubstituted(_ place: ConfigPlace) -> Bool { variableTexts[place] != nil }

    /// Returns a text as the file has it.
    func written(_ text: Located<String>) -> String { variableTexts[text.place] ?? text.value }

    /// Returns a text with references as the file has it.
    func written(_ template: Located<ConfigTemplate>) -> String {
        if let text = variableTexts[template.place] { return text }
        return template.value.pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let piece): text += piece
            case .reference(let reference): text += reference.text
            }
        }
    }

    /// The name of the file of a place.
    func fileName(of place: ConfigPlace) -> String {
        files.indices.contains(place.file) ? files[place.file] : ""
    }
}

extension ConfigEndpoint {
    /// The method and the path as the file has it: `GET /v1/profile/{id}`.
    var title: String { "\(method) \(path.value.shown)" }
}
