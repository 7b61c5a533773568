/* shim.cpp - see shim.h. */
#include "shim.h"
#include "shim_compile.h"
#include "shim_values.h"

#include <cstring>
#include <memory>
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

/* A list of a length that the schema says is "int[2]". */
std::string type_text(const c10::Argument &a)
{
	std::string text = a.real_type()->str();
	size_t bracket = text.find("[]");

	if (a.N() && bracket != std::string::npos)
		text.insert(bracket + 1, std::to_string(*a.N()));
	return text;
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

int assay_torch_use_device(const char *device, int tf32)
{
	return guarded(-1, [&] {
		c10::Device wanted{std::string(device)};
		at::Context &context = at::globalContext();

		if (wanted.is_cuda()) {
			context.setAllowTF32CuBLAS(tf32 != 0);
			context.setAllowTF32CuDNN(tf32 != 0);
			context.setBenchmarkCuDNN(false);
			context.setDeterministicCuDNN(true);
			context.setDeterministicAlgorithms(true, true); /* without one: a warning */
			at::zeros({1}, at::TensorOptions(wanted));      /* says what is wrong with the device */
		}
		device_in_use = wanted;
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
		return handle_of(t.to(device_in_use));
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

void *assay_torch_compile(const char *name, const torch_arg *args, size_t n, int saved)
{
	return guarded(static_cast<void *>(nullptr), [&]() -> void * {
		const c10::OperatorHandle &op = find(name);
		std::vector<const torch_arg *> given = place(op.schema(), args, n);
		std::unique_ptr<compiled> made(new compiled{op, module_of(op.schema(), given)});

		if (saved)
			made->module = saved_and_loaded(made->module);
		for (int i = 0; i < PROFILED_RUNS; i++) /* what counts comes after the optimizations */
			run(*made, tensors_in(given));
		return made.release();
	});
}

int assay_torch_compiled_call(void *program, const torch_arg *args, size_t n, torch_result **out, size_t *n_out)
{
	return guarded(-1, [&] {
		compiled &made = *static_cast<compiled *>(program);

		give(run(made, tensors_in(place(made.op.schema(), args, n))), out, n_out);
		return 0;
	});
}

void assay_torch_compiled_free(void *program)
{
	delete static_cast<compiled *>(program);
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

				p.type = text.emplace_back(type_text(a)).c_str();
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
