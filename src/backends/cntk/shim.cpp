// shim.cpp - CNTK's reader of ONNX, which only C++ can call: a model becomes a file of CNTK's own, which its C
// interface loads.  Declarations are the few that are used, as the library's symbols have them; no header of CNTK is
// needed.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

namespace CNTK
{
enum class ModelFormat { CNTKv2, ONNX };

class DeviceDescriptor
{
	unsigned id = 0; // the CPU
	int kind = 0;
};

class Function
{
      public:
	static std::shared_ptr<Function> Load(const std::wstring &path, const DeviceDescriptor &, ModelFormat);
	void Save(const std::wstring &path, ModelFormat, bool external);
};
} // namespace CNTK

static std::wstring wide(const char *path)
{
	std::string s(path);

	return std::wstring(s.begin(), s.end());
}

// 0, or 1 with CNTK's words in `message`.  The paths are made by the worker, of ASCII.
extern "C" int assay_cntk_convert(const char *onnx, const char *own, char *message, size_t size)
{
	try {
		auto f = CNTK::Function::Load(wide(onnx), CNTK::DeviceDescriptor(), CNTK::ModelFormat::ONNX);

		if (!f) {
			std::snprintf(message, size, "it gave no function");
			return 1;
		}
		f->Save(wide(own), CNTK::ModelFormat::CNTKv2, false);
		return 0;
	} catch (const std::exception &e) {
		std::snprintf(message, size, "%s", e.what());
	} catch (...) {
		std::snprintf(message, size, "an exception that is no std::exception");
	}
	return 1;
}
