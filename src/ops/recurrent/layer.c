/* layer.c - one direction of an RNN, GRU or LSTM: its linear maps and activations, forth and back. */
#include <math.h>
#include <string.h>

#include "ops/recurrent/recurrent.h"

/* The rows of W and Wb, or of R and Rb, that belong to some gates, with their gradients. */
struct layer_map {
	const double *a, *b; /* [rows, cols], [rows] or NULL */
	double *da, *db;     /* NULL: not wanted */
	size_t rows, cols;
};

static struct layer_map input_map(const struct recurrent_layer *l, int gate, int gates)
{
	size_t row = (size_t)gate * l->hidden;

	return (struct layer_map){
		l->w + row * l->input,       layer_part(l->wb, row),    layer_part_mut(l->dw, row * l->input),
		layer_part_mut(l->dwb, row), (size_t)gates * l->hidden, l->input};
}

static struct layer_map hidden_map(const struct recurrent_layer *l, int gate, int gates)
{
	size_t row = (size_t)gate * l->hidden;

	return (struct layer_map){
		l->r + row * l->hidden,      layer_part(l->rb, row),    layer_part_mut(l->dr, row * l->hidden),
		layer_part_mut(l->drb, row), (size_t)gates * l->hidden, l->hidden};
}

/* What v as integers makes of a row of a, in the root of the mean square: each element is off by a step / √12. */
static double quantized_size(const double *a, size_t n, double span)
{
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += a[k] * a[k];
	return sqrt(sum / 12) * span / 255;
}

/* z_j += Σ_k a[j, k] v_k + b_j; a noisy layer moves each by a rounding of the sum of magnitudes, and by what v is off
 * when it becomes integers. */
static void affine(const struct layer_map *m, struct noisy *noise, double span, const double *v, double *z)
{
	const double *a = m->a;

	for (size_t j = 0; j < m->rows; j++, a += m->cols) {
		double sum = m->b ? m->b[j] : 0, size = fabs(sum);

		for (size_t k = 0; k < m->cols; k++)
			sum += a[k] * v[k];
		for (size_t k = 0; noise->on && k < m->cols; k++)
			size += fabs(a[k] * v[k]);
		sum = noisy_move(noise, sum, size * noise_growth((double)m->cols));
		if (noise->on && span > 0)
			sum = noisy_move(noise, sum, quantized_size(a, m->cols, span) / noise->roundoff);
		z[j] += sum;
	}
}

static void affine_back(const struct layer_map *m, const double *dz, const double *v, double *dv)
{
	size_t cols = m->cols;

	for (size_t j = 0; j < m->rows; j++) {
		for (size_t k = 0; m->da && k < cols; k++)
			m->da[j * cols + k] += dz[j] * v[k];
		for (size_t k = 0; dv && k < cols; k++)
			dv[k] += m->a[j * cols + k] * dz[j];
		if (m->db)
			m->db[j] += dz[j];
	}
}

void layer_input(const struct recurrent_layer *l, int gate, int gates, const double *x, double *z)
{
	struct layer_map m = input_map(l, gate, gates);

	memset(z, 0, m.rows * sizeof *z);
	affine(&m, l->noise, l->input_span, x, z);
}

void layer_hidden(const struct recurrent_layer *l, int gate, int gates, const double *h, double *z)
{
	struct layer_map m = hidden_map(l, gate, gates);

	affine(&m, l->noise, l->hidden_span, h, z);
}

void layer_input_back(const struct recurrent_layer *l, int gate, int gates, const double *dz, const double *x,
		      double *dx)
{
	struct layer_map m = input_map(l, gate, gates);

	affine_back(&m, dz, x, dx);
}

void layer_hidden_back(const struct recurrent_layer *l, int gate, int gates, const double *dz, const double *h,
		       double *dh)
{
	struct layer_map m = hidden_map(l, gate, gates);

	affine_back(&m, dz, h, dh);
}

double layer_activate(const struct recurrent_layer *l, int k, double z)
{
	double y = activation_value(&l->act[k], fmax(fmin(z, l->clip), -l->clip));

	return noisy_move(l->noise, y, activation_roundoffs(&l->act[k], y));
}

double layer_slope(const struct recurrent_layer *l, int k, double z)
{
	double y = activation_value(&l->act[k], z);

	if (fabs(z) > l->clip)
		return 0;
	/* Libraries make it of the rounded y: y (1 - y), 1 - y²; both change by at most 2 dy. */
	return noisy_move(l->noise, activation_slope(&l->act[k], z), 2 * activation_roundoffs(&l->act[k], y));
}
