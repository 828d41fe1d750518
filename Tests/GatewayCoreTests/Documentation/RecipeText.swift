/// Returns JSON without the line breaks and indentation that an article folds it with.
func folded(_ json: String) -> String {
    json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
}
