/* shim_values.h - how values cross the border of the shim: element types, handles, arguments and results.  C++, part of
 * shim.cpp, which it is included by once; everything here may throw. */
#ifndef BACKENDS_TORCH_SHIM_VALUES_H
#define BACKENDS_TORCH_SHIM_VALUES_H

#include "shim.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

namespace
{

/* ---- dtypes: codes of ONNX and of PyTorch ------------------------------------------------------------------------ */

struct dtype_pair {
	int onnx;
	at::ScalarType torch;
};

const dtype_pair dtypes[] = {
	{1, at::kFloat},
	{2, at::kByte},
	{3, at::kChar},
	{4, at::ScalarType::UInt16},
	{5, at::kShort},
	{6, at::kInt},
	{7, at::kLong},
	{9, at::kBool},
	{10, at::kHalf},
	{11, at::kDouble},
	{12, at::ScalarType::UInt32},
	{13, at::ScalarType::UInt64},
	{14, at::kComplexFloat},
	{15, at::kComplexDouble},
	{16, at::kBFloat16},
	{17, at::ScalarType::Float8_e4m3fn},
	{18, at::ScalarType::Float8_e4m3fnuz},
	{19, at::ScalarType::Float8_e5m2},
	{20, at::ScalarType::Float8_e5m2fnuz},
};

at::ScalarType dtype_of(int onnx)
{
	for (const dtype_pair &p : dtypes)
		if (p.onnx == onnx)
			return p.torch;
	TORCH_CHECK_NOT_IMPLEMENTED(false, "PyTorch has no tensors of ONNX type ", onnx);
}

int code_of(at::ScalarType t)
{
	for (const dtype_pair &p : dtypes)
		if (p.torch == t)
			return p.onnx;
	TORCH_CHECK_NOT_IMPLEMENTED(false, "a result is of type ", t, ", which ONNX does not have");
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

at::Tensor &tensor_of(void *handle)
{
	return *static_cast<at::Tensor *>(handle);
}

void *handle_of(at::Tensor t)
{
	return new at::Tensor(std::move(t));
}

/* Where tensors are; see assay_torch_use_device. */
c10::Device device_in_use(at::kCPU);

/* Plain memory of this process: dense, contiguous, conjugation and negation carried out. */
at::Tensor plain(const at::Tensor &t)
{
	at::Tensor d = t.detach();

	if (d.is_quantized())
		d = d.dequantize();
	if (d.layout() != at::kStrided)
		d = d.to_dense();
	return d.resolve_conj().resolve_neg().contiguous().cpu();
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

[[noreturn]] void bad_argument(const c10::Argument &a)
{
	TORCH_CHECK_VALUE(false, "argument '", a.name(), "' of type ", a.type()->repr_str(), " cannot take this value");
}

double number(const torch_arg &v, const c10::Argument &a)
{
	if (v.kind == TORCH_FLOAT)
		return v.f;
	if (v.kind == TORCH_INT || v.kind == TORCH_BOOL)
		return static_cast<double>(v.i);
	bad_argument(a);
}

c10::IValue list_value(const torch_arg &v, const c10::Argument &a, const c10::TypePtr &element)
{
	if (v.kind == TORCH_TENSORS && element->kind() == c10::TypeKind::OptionalType) {
		c10::List<std::optional<at::Tensor>> list;
		for (size_t i = 0; i < v.n; i++)
			list.push_back(v.tensors[i] ? std::optional<at::Tensor>(tensor_of(v.tensors[i]))
						    : std::nullopt);
		return list;
	}
	if (v.kind == TORCH_TENSORS && element->kind() == c10::TypeKind::TensorType) {
		c10::List<at::Tensor> list;
		for (size_t i = 0; i < v.n; i++)
			list.push_back(v.tensors[i] ? tensor_of(v.tensors[i]) : at::Tensor());
		return list;
	}
	if (v.kind == TORCH_STRINGS && element->kind() == c10::TypeKind::StringType) {
		c10::List<std::string> list;
		for (size_t i = 0; i < v.n; i++)
			list.push_back(v.strings[i]);
		return list;
	}
	if (v.kind == TORCH_INTS &&
	    (element->kind() == c10::TypeKind::IntType || element->kind() == c10::TypeKind::SymIntType)) {
		c10::List<int64_t> list;
		for (size_t i = 0; i < v.n; i++)
			list.push_back(v.ints[i]);
		return list;
	}
	if (v.kind == TORCH_INTS && element->kind() == c10::TypeKind::BoolType) {
		c10::List<bool> list;
		for (size_t i = 0; i < v.n; i++)
			list.push_back(v.ints[i] != 0);
		return list;
	}
	if ((v.kind == TORCH_FLOATS || v.kind == TORCH_INTS) && element->kind() == c10::TypeKind::FloatType) {
		c10::List<double> list;
		for (size_t i = 0; i < v.n; i++)
			list.push_back(v.kind == TORCH_FLOATS ? v.floats[i] : static_cast<double>(v.ints[i]));
		return list;
	}
	bad_argument(a);
}

c10::IValue scalar_value(const torch_arg &v, const c10::Argument &a)
{
	switch (v.kind) {
	case TORCH_FLOAT:
		return v.f;
	case TORCH_INT:
		return v.i;
	case TORCH_BOOL:
		return v.i != 0;
	default:
		bad_argument(a);
	}
}

c10::IValue value_as(const torch_arg &v, const c10::Argument &a, const c10::TypePtr &type)
{
	if (v.kind == TORCH_DTYPE)
		return static_cast<int64_t>(dtype_of(static_cast<int>(v.i)));
	switch (type->kind()) {
	case c10::TypeKind::TensorType:
		if (v.kind != TORCH_TENSOR)
			bad_argument(a);
		return v.tensor ? tensor_of(v.tensor) : at::Tensor();
	case c10::TypeKind::IntType:
	case c10::TypeKind::SymIntType:
		if (v.kind != TORCH_INT && v.kind != TORCH_BOOL)
			bad_argument(a);
		return v.i;
	case c10::TypeKind::FloatType:
		return number(v, a);
	case c10::TypeKind::BoolType:
		if (v.kind != TORCH_INT && v.kind != TORCH_BOOL)
			bad_argument(a);
		return v.i != 0;
	case c10::TypeKind::NumberType:
		return scalar_value(v, a);
	case c10::TypeKind::StringType:
		if (v.kind != TORCH_STRING)
			bad_argument(a);
		return std::string(v.s);
	case c10::TypeKind::DeviceObjType:
		if (v.kind != TORCH_STRING)
			bad_argument(a);
		return c10::Device(std::string(v.s));
	case c10::TypeKind::ListType:
		return list_value(v, a, type->expectRef<c10::ListType>().getElementType());
	default:
		bad_argument(a);
	}
}

bool wants_device(const c10::Argument &a)
{
	return a.type()->kind() == c10::TypeKind::OptionalType &&
	       a.type()->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::DeviceObjType;
}

c10::IValue argument(const torch_arg *v, const c10::Argument &a)
{
	if (!v || v->kind == TORCH_DEFAULT) {
		if (wants_device(a) && !device_in_use.is_cpu())
			return device_in_use;
		TORCH_CHECK_VALUE(a.default_value().has_value() || a.type()->kind() == c10::TypeKind::OptionalType,
				  "argument '", a.name(), "' is missing");
		return a.default_value().value_or(c10::IValue());
	}
	if (a.type()->kind() == c10::TypeKind::OptionalType) {
		if (v->kind == TORCH_NONE || (v->kind == TORCH_TENSOR && !v->tensor))
			return c10::IValue();
		return value_as(*v, a, a.type()->expectRef<c10::OptionalType>().getElementType());
	}
	if (v->kind == TORCH_NONE)
		bad_argument(a);
	return value_as(*v, a, a.type());
}

/* The given arguments put where the schema wants them: by name, or in order. */
std::vector<const torch_arg *> place(const c10::FunctionSchema &schema, const torch_arg *args, size_t n)
{
	std::vector<const torch_arg *> at(schema.arguments().size(), nullptr);
	size_t position = 0;

	for (size_t i = 0; i < n; i++) {
		size_t where = position++;
		if (args[i].name && *args[i].name) {
			std::optional<int> index = schema.argumentIndexWithName(args[i].name);
			TORCH_CHECK_VALUE(index.has_value(), "there is no argument '", args[i].name, "'");
			where = static_cast<size_t>(*index);
		}
		TORCH_CHECK_VALUE(where < at.size(), "takes ", at.size(), " arguments, not ", n);
		at[where] = &args[i];
	}
	return at;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

at::TensorOptions here(at::ScalarType t)
{
	return at::TensorOptions(t).device(device_in_use);
}

std::vector<at::Tensor> tensors_of(const c10::IValue &v)
{
	if (v.isTensor())
		return {v.toTensor().defined() ? v.toTensor() : at::empty({0}, here(at::kFloat))};
	if (v.isTensorList())
		return v.toTensorVector();
	if (v.isInt())
		return {at::scalar_tensor(v.toInt(), here(at::kLong))};
	if (v.isDouble())
		return {at::scalar_tensor(v.toDouble(), here(at::kDouble))};
	if (v.isBool())
		return {at::scalar_tensor(v.toBool(), here(at::kBool))};
	if (v.isIntList())
		return {at::tensor(v.toIntVector(), here(at::kLong))};
	if (v.isDoubleList())
		return {at::tensor(v.toDoubleVector(), here(at::kDouble))};
	TORCH_CHECK_NOT_IMPLEMENTED(false, "a result of type ", v.tagKind(), " is no tensor");
}

void free_results(torch_result *results, size_t n, bool tensors)
{
	for (size_t i = 0; results && i < n; i++) {
		for (size_t k = 0; tensors && results[i].tensors && k < results[i].n; k++)
			delete static_cast<at::Tensor *>(results[i].tensors[k]);
		delete[] results[i].tensors;
	}
	delete[] results;
}

void give(const torch::jit::Stack &stack, torch_result **out, size_t *n_out)
{
	torch_result *results = new torch_result[stack.size() + 1]();

	try {
		for (size_t i = 0; i < stack.size(); i++) {
			std::vector<at::Tensor> t = tensors_of(stack[i]);
			results[i].is_list = stack[i].isTensorList();
			results[i].tensors = new void *[t.size() + 1]();
			for (; results[i].n < t.size(); results[i].n++)
				results[i].tensors[results[i].n] = handle_of(t[results[i].n]);
		}
	} catch (...) {
		free_results(results, stack.size(), true);
		throw;
	}
	*out = results;
	*n_out = stack.size();
}

} // namespace

#endif
