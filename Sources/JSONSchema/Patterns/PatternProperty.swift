import ASCIIText

/// The properties of `\p{...}` that ECMA-262 knows, as PCRE2 names them.
enum PatternProperty {
    /// Returns the property in the syntax of PCRE2; nil if ECMA-262 has no such property.
    ///
    /// Whether PCRE2 knows a script is found out when it compiles the pattern.
    static func text(_ name: String, isNegated: Bool) -> String? {
        let sign = isNegated ? "P" : "p"
        if let equals = name.utf8.firstIndex(of: Byte.equals) {
            let value = String(name[name.index(after: equals)...])
            switch String(name[..<equals]) {
            case "General_Category", "gc": return categories[value].map { "\\\(sign){\($0)}" }
            case "Script", "sc": return isScript(value) ? "\\\(sign){sc:\(value)}" : nil
            case "Script_Extensions", "scx": return isScript(value) ? "\\\(sign){scx:\(value)}" : nil
            default: return nil
            }
        }
        if let category = categories[name] { return "\\\(sign){\(category)}" }
        if name == "Assigned" { return "\\\(isNegated ? "p" : "P"){Cn}" }
        return binary.contains(name) ? "\\\(sign){\(name)}" : nil
    }

    /// PCRE2 ignores case and underscores in names; ECMA-262 does not.
    private static func isScript(_ name: String) -> Bool {
        guard let first = name.utf8.first, ASCII.isLetter(first), first & 0x20 == 0 else { return false }
        return name.utf8.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") }
    }

    private static let categories: [String: String] = {
        let names = """
            C Other, Cc Control cntrl, Cf Format, Cn Unassigned, Co Private_Use, Cs Surrogate, L Letter,
            L& LC Cased_Letter, Ll Lowercase_Letter, Lm Modifier_Letter, Lo Other_Letter, Lt Titlecase_Letter,
            Lu Uppercase_Letter, M Mark Combining_Mark, Mc Spacing_Mark, Me Enclosing_Mark,
            Mn Nonspacing_Mark, N Number, Nd Decimal_Number digit, Nl Letter_Number, No Other_Number,
            P Punctuation punct, Pc Connector_Punctuation, Pd Dash_Punctuation, Pe Close_Punctuation,
            Pf Final_Punctuation, Pi Initial_Punctuation, Po Other_Punctuation, Ps Open_Punctuation,
            S Symbol, Sc Currency_Symbol, Sk Modifier_Symbol, Sm Math_Symbol, So Other_Symbol,
            Z Separator, Zl Line_Separator, Zp Paragraph_Separator, Zs Space_Separator
            """
        var categories: [String: String] = [:]
        for entry in names.split(separator: ",") {
            let words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
            for word in words where word != "L&" { categories[word] = words[0] }
        }
        return categories
    }()

    private static let binary: Set<String> = Set(
        """
        ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Bidi_Control Bidi_C Bidi_Mirrored Bidi_M
        Case_Ignorable CI Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM
        Changes_When_Lowercased CWL Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash
        Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp
        Emoji_Modifier EMod Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic
        ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex ID_Continue IDC
        ID_Start IDS IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST Ideographic Ideo Join_Control
        Join_C Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar
        Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical
        Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term
        Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS White_Space space XID_Continue
        XIDC XID_Start XIDS
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
