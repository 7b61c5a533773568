/* shim_compile.h - one operator as a module of TorchScript.  C++, part of shim.cpp, which it is included by once;
 * everything here may throw.
 *
 * The graph is written node by node rather than recorded: a recording holds what the recorder does not see as
 * constants, and a program that gives back its constants agrees with everything. */
#ifndef BACKENDS_TORCH_SHIM_COMPILE_H
#define BACKENDS_TORCH_SHIM_COMPILE_H

#include "shim_values.h"

#include <sstream>

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/jit/serialization/import.h>

namespace
{

const int PROFILED_RUNS = 2;

struct compiled {
	c10::OperatorHandle op;
	torch::jit::Module module;
};

/* All tensors of the arguments as the schema orders them, each with memory of its own: an operator may write there. */
std::vector<at::Tensor> tensors_in(const std::vector<const torch_arg *> &given)
{
	std::vector<at::Tensor> all;

	for (const torch_arg *v : given) {
		if (v && v->kind == TORCH_TENSOR && v->tensor)
			all.push_back(tensor_of(v->tensor).clone());
		for (size_t k = 0; v && v->kind == TORCH_TENSORS && k < v->n; k++)
			if (v->tensors[k])
				all.push_back(tensor_of(v->tensors[k]).clone());
	}
	return all;
}

/* The graph that is being written; what stands for each tensor is found by its handle. */
struct writer {
	std::shared_ptr<torch::jit::Graph> graph = std::make_shared<torch::jit::Graph>();
	std::vector<std::pair<void *, torch::jit::Value *>> inputs;

	void add_input(void *handle)
	{
		torch::jit::Value *v = graph->addInput("t" + std::to_string(inputs.size()));
		v->setType(c10::TensorType::get());
		inputs.emplace_back(handle, v);
	}

	/* Inputs in the order of tensors_in(). */
	void add_inputs(const torch_arg *v)
	{
		if (v->kind == TORCH_TENSOR && v->tensor)
			add_input(v->tensor);
		for (size_t k = 0; v->kind == TORCH_TENSORS && k < v->n; k++)
			if (v->tensors[k])
				add_input(v->tensors[k]);
	}

	torch::jit::Value *input(void *handle)
	{
		for (const auto &row : inputs)
			if (row.first == handle)
				return row.second;
		return graph->insertConstant(c10::IValue());
	}

	torch::jit::Value *value(const torch_arg *v, const c10::Argument &a)
	{
		if (v && v->kind == TORCH_TENSOR && v->tensor)
			return input(v->tensor);
		if (!v || v->kind != TORCH_TENSORS)
			return graph->insertConstant(argument(v, a));
		c10::TypePtr type = a.type();
		if (type->kind() == c10::TypeKind::OptionalType)
			type = type->expectRef<c10::OptionalType>().getElementType();
		TORCH_CHECK_VALUE(type->kind() == c10::TypeKind::ListType, "argument '", a.name(), "' is no list");
		std::vector<torch::jit::Value *> items;
		for (size_t k = 0; k < v->n; k++)
			items.push_back(input(v->tensors[k]));
		return graph->insertNode(graph->createList(type->expectRef<c10::ListType>().getElementType(), items))
			->output();
	}
};

/* The node must mean the very overload: TorchScript finds it again by the types of arguments. */
void check_overload(const torch::jit::Node *node, const c10::FunctionSchema &schema)
{
	const torch::jit::Operator *op = node->maybeOperator();

	TORCH_CHECK_NOT_IMPLEMENTED(op && op->schema().overload_name() == schema.overload_name(),
				    "TorchScript takes these arguments for another overload: not supported");
}

torch::jit::Module module_of(const c10::FunctionSchema &schema, const std::vector<const torch_arg *> &given)
{
	torch::jit::Module module("assay");
	writer w;

	w.graph->addInput("self")->setType(module._ivalue()->type());
	for (const torch_arg *v : given)
		if (v)
			w.add_inputs(v);
	std::vector<torch::jit::Value *> args;
	for (size_t i = 0; i < given.size(); i++)
		args.push_back(w.value(given[i], schema.arguments()[i]));
	size_t n = schema.returns().size();
	torch::jit::Node *node =
		w.graph->insertNode(w.graph->create(c10::Symbol::fromQualString(schema.name()), args, n));
	for (size_t i = 0; i < n; i++)
		node->output(i)->setType(schema.returns()[i].type());
	check_overload(node, schema);
	TORCH_CHECK_NOT_IMPLEMENTED(n > 0, "a method must give something: not supported");
	w.graph->registerOutput(n == 1 ? node->output(0)
				       : w.graph->insertNode(w.graph->createTuple(node->outputs()))->output());
	auto unit = module._ivalue()->compilation_unit();
	auto name = c10::QualifiedName(*module.type()->name(), "forward");
	module.type()->addMethod(unit->create_function(name, w.graph));
	return module;
}

torch::jit::Module saved_and_loaded(const torch::jit::Module &module)
{
	std::stringstream file;

	module.save(file);
	return torch::jit::load(file);
}

torch::jit::Stack run(compiled &program, const std::vector<at::Tensor> &tensors)
{
	std::vector<c10::IValue> inputs(tensors.begin(), tensors.end());
	c10::IValue result = program.module.forward(inputs);

	return result.isTuple() ? result.toTuple()->elements().vec() : torch::jit::Stack{result};
}

} // namespace

#endif
