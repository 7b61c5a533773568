/* xml.h - is this well-formed XML?  Strict, small, for what the reports write. */
#ifndef TESTS_SUPPORT_XML_H
#define TESTS_SUPPORT_XML_H

/* NULL when text is one well-formed element (an XML declaration may stand before it): tags that match, attributes
 * quoted and given once, entities known, characters that XML 1.0 has.  Otherwise what is wrong, with the place. */
const char *xml_fault(const char *text);

#endif
