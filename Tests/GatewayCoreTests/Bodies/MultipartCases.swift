import Testing

/// A form and what reading it gives. Used whole, in pieces and byte by byte.
struct MultipartCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// A backtick stands for a line end, `#` for the boundary `B`, with its dashes: `--B`.
    var form: String
    /// Each part as `name[filename;type]=body`, and the message of the fault, if there is one.
    var outcome: String

    init(_ description: String, _ form: String, _ outcome: String) {
        testDescription = description
        self.form = form
        self.outcome = outcome
    }

    var bytes: [UInt8] {
        Array(form.replacing("`", with: "\r\n").replacing("#", with: "--B").utf8)
    }

    static let field = "Content-Disposition: form-data; name=\"a\""

    static let all = [
        MultipartCase("one field", "#`\(field)``value`#--`", "a=value"),
        MultipartCase("no line end at the end", "#`\(field)``value`#--", "a=value"),
        MultipartCase("an empty line at the beginning", "`#`\(field)``value`#--`", "a=value"),
        MultipartCase("no part", "#--`", ""),
        MultipartCase("an empty value", "#`\(field)```#--`", "a="),
        MultipartCase(
            "line ends and near boundaries in a value", "#`\(field)``x``-`--`--A`--`#--`", "a=x||-|--|--A|--"),
        MultipartCase("a boundary within a line", "#`\(field)``x --B y`#--`", "a=x --B y"),
        MultipartCase(
            "two fields and a file",
            "#`\(field)``1`#`content-disposition: FORM-DATA; Name=b ; filename=\"c.txt\"`Content-Type: text/plain; charset=utf-8``2`#`\(field)``3`#--`",
            "a=1 b[c.txt;text/plain; charset=utf-8]=2 a=3"),
        MultipartCase(
            "a file name with quotes, backslashes, a path and UTF-8",
            #"#`Content-Disposition: form-data; name="a"; filename="..\x\"y\\z/ü%22"``v`#--`"#,
            #"a[..\x"y\z/ü%22;]=v"#),
        MultipartCase("an empty file name", "#`\(field); filename=\"\"``v`#--`", "a[;]=v"),
        MultipartCase("binary encoding", "#`\(field)`Content-Transfer-Encoding: binary``v`#--`", "a=v"),

        MultipartCase("nothing", "", "The form ends before the last boundary"),
        MultipartCase("a preamble", "hello`#`\(field)``v`#--`", "The form must begin with its boundary"),
        MultipartCase("another boundary", "--C`\(field)``v`--C--`", "The form must begin with its boundary"),
        MultipartCase(
            "no last boundary", "#`\(field)``v", #"a=v Form part "a" ends before the last boundary"#),
        MultipartCase(
            "half a last boundary", "#`\(field)``v`#-", #"a=v Form part "a" ends before the last boundary"#),
        MultipartCase("an epilogue", "#`\(field)``v`#--`bye", "a=v The form must end with its last boundary"),
        MultipartCase(
            "half a line end at the end", "#`\(field)``v`#--\r",
            "a=v The form must end with its last boundary"),
        MultipartCase(
            "a line that begins with the boundary", "#`\(field)``v`#C`#--`",
            "a=v The form has extra characters after a boundary"),
        MultipartCase(
            "a blank behind a boundary", "# `\(field)``v`#--`",
            "The form has extra characters after a boundary"),
        MultipartCase("a part without a head", "#``v`#--`", "Part 1 of the form has no Content-Disposition"),
        MultipartCase(
            "a part that is only half a head", "#`\(field)`#--`",
            "Part 1 of the form ends before the last boundary"),
        MultipartCase(
            "no Content-Disposition", "#`X: y``v`#--`", "Part 1 of the form has no Content-Disposition"),
        MultipartCase(
            "two of them", "#`\(field)`\(field)``v`#--`",
            "Part 1 of the form has the field Content-Disposition twice"),
        MultipartCase(
            "an attachment", "#`\(field)``1`#`Content-Disposition: attachment; name=a``v`#--`",
            "a=1 Part 2 of the form has an invalid Content-Disposition: it must be form-data"),
        MultipartCase(
            "no name", "#`Content-Disposition: form-data; filename=x``v`#--`",
            "Part 1 of the form has an invalid Content-Disposition: it must have a name"),
        MultipartCase(
            "two names", "#`\(field); name=b``v`#--`",
            "Part 1 of the form has an invalid Content-Disposition: it must have one name"),
        MultipartCase(
            "two file names", "#`\(field); filename=b; filename=c``v`#--`",
            "Part 1 of the form has an invalid Content-Disposition: it must have one filename"),
        MultipartCase(
            "an extended file name", "#`\(field); filename*=utf-8''x``v`#--`",
            "Part 1 of the form has an invalid Content-Disposition: it must not have filename*"),
        MultipartCase(
            "an open quote", "#`\(field); filename=\"b``v`#--`",
            "Part 1 of the form has an invalid Content-Disposition: a quoted value must end"),
        MultipartCase(
            "text behind a quote", "#`\(field)b``v`#--`",
            "Part 1 of the form has an invalid Content-Disposition: parameters must be separated by semicolons"
        ),
        MultipartCase(
            "a folded line", "#`\(field);` name=b``v`#--`", "Part 1 of the form has an invalid header field"),
        MultipartCase(
            "a bare line feed", "#`\(field)\nX: y``v`#--`", "Part 1 of the form has an invalid header field"),
        MultipartCase(
            "a bare carriage return", "#`\(field)\rX: y``v`#--`",
            "Part 1 of the form has an invalid header field"),
        MultipartCase(
            "a blank before a colon", "#`\(field)`X : y``v`#--`",
            "Part 1 of the form has an invalid header field"),
        MultipartCase(
            "an invalid type", "#`\(field)`Content-Type: text``v`#--`",
            "Part 1 of the form has an invalid Content-Type"),
        MultipartCase(
            "an encoding", "#`\(field)`Content-Transfer-Encoding: base64``v`#--`",
            "Part 1 of the form has a Content-Transfer-Encoding, which is not supported"),
        MultipartCase(
            "many header fields", "#`\(field)" + String(repeating: "`X: y", count: 16) + "``v`#--`",
            "Part 1 of the form has more than 16 header fields"),
        MultipartCase(
            "a long head", "#`\(field)`X: " + String(repeating: "y", count: 8200) + "``v`#--`",
            "Part 1 of the form has a head of more than 8192 bytes"),
        MultipartCase(
            "an endless head", "#`\(field)`X: " + String(repeating: "y", count: 8300),
            "Part 1 of the form has a head of more than 8192 bytes"),
        MultipartCase(
            "many parts", String(repeating: "#`\(field)```", count: 101) + "#--`",
            String(repeating: "a= ", count: 100) + "The form has more than 100 parts"),
    ]
}
