/* shim.cpp - see shim.h. */
#include "shim.h"

#include <cstring>
#include <new>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/TracerMode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/passes/normalize_ops.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/version.h>

namespace
{

std::string error_text;
torch_failure error_kind = TORCH_OK;

void fail(torch_failure kind, const char *text)
{
	error_kind = kind;
	error_text = text;
}

/* "not implemented" is how a kernel says that it does not know a dtype. */
torch_failure classify(const char *text)
{
	if (std::strstr(text, "not implemented") || std::strstr(text, "not supported") ||
	    std::strstr(text, "Could not run '") || std::strstr(text, "not support") ||
	    std::strstr(text, "is not differentiable"))
		return TORCH_UNSUPPORTED;
	if (std::strstr(text, "can't allocate memory") || std::strstr(text, "not enough memory"))
		return TORCH_NO_MEMORY;
	return TORCH_REFUSED;
}

/* Runs f; `failed` is the result when it throws. */
template <class F, class R> R guarded(R failed, F f)
{
	try {
		return f();
	} catch (const c10::NotImplementedError &e) {
		fail(TORCH_UNSUPPORTED, e.what_without_backtrace());
	} catch (const c10::OutOfMemoryError &e) {
		fail(TORCH_NO_MEMORY, e.what_without_backtrace());
	} catch (const c10::Error &e) {
		fail(classify(e.what_without_backtrace()), e.what_without_backtrace());
	} catch (const std::bad_alloc &) {
		fail(TORCH_NO_MEMORY, "out of memory");
	} catch (const std::exception &e) {
		fail(classify(e.what()), e.what());
	} catch (...) {
		fail(TORCH_REFUSED, "an exception without a message");
	}
	return failed;
}

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

/* Plain memory: dense, contiguous, conjugation and negation carried out. */
at::Tensor plain(const at::Tensor &t)
{
	at::Tensor d = t.detach();

	if (d.is_quantized())
		d = d.dequantize();
	if (d.layout() != at::kStrided)
		d = d.to_dense();
	return d.resolve_conj().resolve_neg().contiguous();
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

c10::IValue argument(const torch_arg *v, const c10::Argument &a)
{
	if (!v || v->kind == TORCH_DEFAULT) {
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

std::vector<at::Tensor> tensors_of(const c10::IValue &v)
{
	if (v.isTensor())
		return {v.toTensor().defined() ? v.toTensor() : at::empty({0})};
	if (v.isTensorList())
		return v.toTensorVector();
	if (v.isInt())
		return {at::scalar_tensor(v.toInt(), at::kLong)};
	if (v.isDouble())
		return {at::scalar_tensor(v.toDouble(), at::kDouble)};
	if (v.isBool())
		return {at::scalar_tensor(v.toBool(), at::kBool)};
	if (v.isIntList())
		return {at::tensor(v.toIntVector(), at::kLong)};
	if (v.isDoubleList())
		return {at::tensor(v.toDoubleVector(), at::kDouble)};
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

/* "aten::add.Tensor" and, for short, "add.Tensor". */
const c10::OperatorHandle &find(const char *name)
{
	static std::unordered_map<std::string, c10::OperatorHandle> known;
	auto hit = known.find(name);

	if (hit != known.end())
		return hit->second;
	std::string full = std::strstr(name, "::") ? name : std::string("aten::") + name;
	size_t dot = full.find('.', full.find("::"));
	std::string overload = dot == std::string::npos ? "" : full.substr(dot + 1);
	if (overload == "default")
		overload = "";
	auto op = c10::Dispatcher::singleton().findSchema({full.substr(0, dot), overload});
	TORCH_CHECK_NOT_IMPLEMENTED(op.has_value(), "PyTorch has no operator '", full, "'");
	return known.emplace(name, *op).first->second;
}

std::string text_of(const c10::IValue &v)
{
	std::ostringstream out;

	out << v;
	return out.str();
}

} // namespace

int assay_torch_api(void)
{
	return TORCH_SHIM_API;
}

const char *assay_torch_version(void)
{
	return TORCH_VERSION;
}

const char *assay_torch_error(void)
{
	return error_text.c_str();
}

int assay_torch_failure(void)
{
	return error_kind;
}

int assay_torch_configure(int threads, uint64_t seed)
{
	return guarded(-1, [&] {
		if (threads > 0)
			at::set_num_threads(threads);
		at::manual_seed(seed);
		c10::GradMode::set_enabled(false);
		return 0;
	});
}

void *assay_torch_tensor(int dtype, int rank, const int64_t *dims, const void *data, size_t bytes)
{
	return guarded(static_cast<void *>(nullptr), [&] {
		at::tracer::impl::NoTracerDispatchMode constant; /* filled from here, not by an operator */
		at::Tensor t = at::empty(at::IntArrayRef(dims, static_cast<size_t>(rank)), dtype_of(dtype));
		TORCH_CHECK_VALUE(t.nbytes() == bytes, "a tensor of ", t.nbytes(), " bytes was given ", bytes);
		if (bytes)
			std::memcpy(t.mutable_data_ptr(), data, bytes);
		return handle_of(t);
	});
}

int assay_torch_shape(void *tensor, int *dtype, int *rank, int64_t *dims)
{
	return guarded(-1, [&] {
		const at::Tensor &t = tensor_of(tensor);
		TORCH_CHECK_NOT_IMPLEMENTED(t.dim() <= TORCH_MAX_RANK, "a tensor of rank ", t.dim());
		*dtype = code_of(t.is_quantized() ? at::kFloat : t.scalar_type());
		*rank = static_cast<int>(t.dim());
		for (int i = 0; i < *rank; i++)
			dims[i] = t.size(i);
		return 0;
	});
}

int assay_torch_read(void *tensor, void *data, size_t bytes)
{
	return guarded(-1, [&] {
		at::tracer::impl::NoTracerDispatchMode untraced;
		at::Tensor t = plain(tensor_of(tensor));
		TORCH_CHECK_VALUE(t.nbytes() == bytes, "a tensor of ", t.nbytes(), " bytes was read into ", bytes);
		if (bytes)
			std::memcpy(data, t.const_data_ptr(), bytes);
		return 0;
	});
}

void *assay_torch_retain(void *tensor)
{
	return guarded(static_cast<void *>(nullptr), [&] { return handle_of(tensor_of(tensor)); });
}

void assay_torch_release(void *tensor)
{
	delete static_cast<at::Tensor *>(tensor);
}

int assay_torch_call(const char *name, const torch_arg *args, size_t n, torch_result **out, size_t *n_out)
{
	return guarded(-1, [&] {
		const c10::OperatorHandle &op = find(name);
		const c10::FunctionSchema &schema = op.schema();
		std::vector<const torch_arg *> given = place(schema, args, n);
		torch::jit::Stack stack;

		stack.reserve(given.size());
		for (size_t i = 0; i < given.size(); i++)
			stack.push_back(argument(given[i], schema.arguments()[i]));
		op.callBoxed(stack);
		give(stack, out, n_out);
		return 0;
	});
}

void assay_torch_free_results(torch_result *results, size_t n)
{
	free_results(results, n, false);
}

int assay_torch_grad_mode(int on)
{
	return guarded(-1, [&] {
		c10::GradMode::set_enabled(on != 0);
		return 0;
	});
}

int assay_torch_requires_grad(void *tensor, int on)
{
	return guarded(-1, [&] {
		tensor_of(tensor).requires_grad_(on != 0);
		return 0;
	});
}

int assay_torch_backward(void *const *outputs, void *const *seeds, size_t n, void *const *wanted, size_t n_wanted,
			 void **grads)
{
	return guarded(-1, [&] {
		torch::autograd::variable_list outs, given, inputs, result(n_wanted);
		for (size_t i = 0; i < n_wanted; i++)
			inputs.push_back(tensor_of(wanted[i]));
		for (size_t i = 0; i < n; i++)
			if (tensor_of(outputs[i]).requires_grad()) {
				outs.push_back(tensor_of(outputs[i]));
				given.push_back(tensor_of(seeds[i]).to(outs.back().scalar_type()));
			}
		if (!outs.empty() && !inputs.empty())
			result = torch::autograd::grad(outs, inputs, given, false, false, true);
		for (size_t i = 0; i < n_wanted; i++)
			grads[i] = handle_of(result[i].defined() ? result[i] : at::zeros_like(inputs[i]));
		return 0;
	});
}

int assay_torch_trace_begin(void)
{
	return guarded(-1, [&] {
		torch::jit::tracer::setTracingState(std::make_shared<torch::jit::tracer::TracingState>());
		return 0;
	});
}

int assay_torch_trace_input(void *tensor)
{
	return guarded(-1, [&] {
		const auto &state = torch::jit::tracer::getTracingState();
		torch::jit::Value *v = state->graph->addInput();

		v->setType(c10::TensorType::get());
		state->setValue(tensor_of(tensor), v);
		return 0;
	});
}

void *assay_torch_trace_end(void *const *outputs, size_t n)
{
	void *program = guarded(static_cast<void *>(nullptr), [&]() -> void * {
		const auto state = torch::jit::tracer::getTracingState();

		for (size_t i = 0; i < n; i++)
			state->graph->registerOutput(torch::jit::tracer::getValueTrace(tensor_of(outputs[i])));
		torch::jit::tracer::setTracingState(nullptr);
		torch::jit::Inline(*state->graph);
		torch::jit::NormalizeOps(state->graph);
		torch::jit::EliminateDeadCode(state->graph);
		return new torch::jit::GraphExecutor(state->graph, "assay");
	});

	assay_torch_trace_abandon();
	return program;
}

void assay_torch_trace_abandon(void)
{
	guarded(-1, [&] {
		torch::jit::tracer::setTracingState(nullptr);
		return 0;
	});
}

int assay_torch_program_run(void *program, void *const *inputs, size_t n, void **outputs, size_t n_outputs)
{
	return guarded(-1, [&] {
		torch::jit::Stack stack;

		for (size_t i = 0; i < n; i++)
			stack.emplace_back(tensor_of(inputs[i]));
		static_cast<torch::jit::GraphExecutor *>(program)->run(stack);
		TORCH_CHECK_VALUE(stack.size() == n_outputs, "a program gave ", stack.size(), " results");
		for (size_t i = 0; i < n_outputs; i++)
			outputs[i] = handle_of(stack[i].toTensor());
		return 0;
	});
}

void assay_torch_program_free(void *program)
{
	delete static_cast<torch::jit::GraphExecutor *>(program);
}

int assay_torch_list(const char *prefix, torch_visit *visit, void *arg)
{
	return guarded(-1, [&] {
		for (const c10::OperatorName &name : c10::Dispatcher::singleton().getAllOpNames()) {
			std::string full = name.name + (name.overload_name.empty() ? "" : "." + name.overload_name);
			auto op = c10::Dispatcher::singleton().findSchema(name);
			std::vector<std::string> text;
			std::vector<torch_parameter> parameters;

			if (!op || full.compare(0, std::strlen(prefix), prefix) != 0)
				continue;
			const c10::FunctionSchema &schema = op->schema();
			text.reserve(2 * schema.arguments().size() + 1);
			for (const c10::Argument &a : schema.arguments()) {
				torch_parameter p = {a.name().c_str(), nullptr, nullptr, 0, 0};
				bool optional = a.type()->kind() == c10::TypeKind::OptionalType;
				c10::TypePtr type =
					optional ? a.type()->expectRef<c10::OptionalType>().getElementType() : a.type();

				p.type = text.emplace_back(a.real_type()->str()).c_str();
				if (a.default_value())
					p.default_value = text.emplace_back(text_of(*a.default_value())).c_str();
				p.is_tensor = type->kind() == c10::TypeKind::TensorType || type->str() == "Tensor[]";
				p.is_optional = optional || a.default_value().has_value();
				parameters.push_back(p);
			}
			std::ostringstream whole_text;
			whole_text << schema;
			std::string whole = whole_text.str();
			torch_schema s = {full.c_str(), parameters.data(), parameters.size(), schema.returns().size(),
					  whole.c_str()};
			if (visit(arg, &s))
				return -1;
		}
		return 0;
	});
}
