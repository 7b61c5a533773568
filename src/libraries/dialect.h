/* dialect.h - how a library's registry (LIST) speaks of its operations: what type words mean, what names of parameters
 * tell, and what else a call must know.
 *
 * Types are texts of the library's own.  Some say more than a kind, in forms that mean the same wherever they occur:
 *
 *     "N * T"        as many tensors as N says, of the type that T says          "int >= 1", "list(int) >= 4"   a bound
 *     "T"            the type that the parameter T says                          "int[2]"    how many */
#ifndef LIBRARIES_DIALECT_H
#define LIBRARIES_DIALECT_H

#include "worker/backend.h"

struct role; /* role.h */

enum parameter_kind {
	PARAMETER_UNKNOWN, /* a call can be made only when it may be left out */
	PARAMETER_SKIP,    /* follows from the others */
	PARAMETER_TENSOR,
	PARAMETER_TENSORS,
	PARAMETER_INT,
	PARAMETER_FLOAT,
	PARAMETER_BOOL,
	PARAMETER_WORD, /* one of the allowed words */
	PARAMETER_DTYPE,
	PARAMETER_INTS,
	PARAMETER_FLOATS,
	PARAMETER_FORM /* a whole call as a text; its tensors follow in a list (methods/equiv/form.h) */
};

struct dialect_type {
	const char *word; /* that a type begins with */
	enum parameter_kind kind;
};

struct dialect {
	const char *name;                 /* in the files of data/equiv */
	const struct dialect_type *types; /* the first that fits counts; up to one without a word */
	const struct role *roles;         /* likewise, up to one without a pattern; NULL: names tell nothing */

	/* (optional) the kind of a parameter, where its type word is not all there is to it */
	enum parameter_kind (*kind)(const struct dialect *d, const struct backend_operation *op,
				    const struct backend_parameter *p);
	/* (optional) whether tensors of an element type that the library allows here can be passed */
	int (*has_type)(const struct backend_operation *op, const struct backend_parameter *p);
	/* (optional) the name of the operation that gives a new tensor where this one writes into its argument; NULL:
	 * it does not write, or there is no memory */
	const char *(*new_form)(struct arena *a, const char *name);

	/* (optional) what names of gradients have behind the name of what they are gradients of; up to NULL */
	const char *const *gradient_marks;

	int texts_alone;   /* roles are of texts alone: no shape and no number of a call follows from a name */
	int lists_by_rank; /* most lists of numbers hold one for each dimension */
	int underscores;   /* documented functions call operations whose names begin with one */
	int inputs_unsaid; /* the registry does not say which inputs may be left out */
	int forms;         /* operations are functions of a language, whose valid calls stand in a file */
	int whole_apart;   /* whole numbers are not promoted: results of theirs are whole, and not those of floats */
	int gradients;     /* INVOKE gives gradients that are meant to be those of the operation */
};

extern const struct dialect dialect_onnx; /* of all libraries that read ONNX and list operators */

enum parameter_kind dialect_kind(const struct dialect *d, const struct backend_operation *op,
				 const struct backend_parameter *p);
/* What the type's word says alone. */
enum parameter_kind dialect_word_kind(const struct dialect *d, const struct backend_parameter *p);

/* What the name of a parameter tells; NULL: nothing. */
const struct role *dialect_role(const struct dialect *d, const char *operation, const char *parameter);

/* ---- type texts -------------------------------------------------------------------------------------------------- */

/* "T" of "N * T", or the whole type. */
const char *dialect_element(const struct backend_parameter *p);
/* Whether the parameter `name` says how many tensors this is: it is the "N" of "N * T". */
int dialect_is_counted_by(const struct backend_parameter *p, const char *name);
int64_t dialect_least(const struct backend_parameter *p);  /* a bound; INT64_MIN: none */
int64_t dialect_length(const struct backend_parameter *p); /* "int[2]"; 0: "int[]"; -1: no list of this form */

#endif
