//! rten behind C functions, for workers/python/rten_worker.py.
//!
//! Names are UTF-8 that ends with a zero byte.  A function that fails returns null and leaves its reason for
//! `shim_error`.  A panic ends the process, as it would a user's: it is a crash, not an error.

use std::cell::RefCell;
use std::ffi::{c_char, CStr, CString};

use rten::{Model, ModelOptions, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::Tensor;

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// Element types, by ONNX's numbers.
const FLOAT: i32 = 1;
const UINT8: i32 = 2;
const INT8: i32 = 3;
const INT32: i32 = 6;

#[repr(C)]
pub struct ShimTensor {
    name: *const c_char,
    dtype: i32,
    rank: u32,
    dims: *const usize,
    data: *const u8,
}

/// An output, in row-major order.
pub struct Output {
    dtype: i32,
    dims: Vec<usize>,
    bytes: Vec<u8>,
}

fn fail<T>(reason: impl ToString) -> *mut T {
    let text = reason.to_string().replace('\0', " ");
    LAST.with(|last| *last.borrow_mut() = CString::new(text).unwrap_or_default());
    std::ptr::null_mut()
}

fn text<'a>(name: *const c_char) -> &'a str {
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("")
}

/// The elements behind a pointer, which need not be aligned; `N` is the size of one.
fn elements<T, const N: usize>(data: *const u8, count: usize, from: fn([u8; N]) -> T) -> Vec<T> {
    let bytes = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, count * N) } };
    bytes.chunks_exact(N).map(|c| from(c.try_into().unwrap())).collect()
}

fn value_of(t: &ShimTensor) -> Option<Value> {
    let dims = if t.rank == 0 { &[] } else { unsafe { std::slice::from_raw_parts(t.dims, t.rank as usize) } };
    let count = dims.iter().product();
    Some(match t.dtype {
        FLOAT => Tensor::from_data(dims, elements(t.data, count, f32::from_le_bytes)).into(),
        INT32 => Tensor::from_data(dims, elements(t.data, count, i32::from_le_bytes)).into(),
        UINT8 => Tensor::from_data(dims, elements(t.data, count, u8::from_le_bytes)).into(),
        INT8 => Tensor::from_data(dims, elements(t.data, count, i8::from_le_bytes)).into(),
        _ => return None,
    })
}

fn output<T: Copy, const N: usize>(dtype: i32, t: &Tensor<T>, to: fn(T) -> [u8; N]) -> Output {
    Output { dtype, dims: t.shape().to_vec(), bytes: t.iter().flat_map(|x| to(*x)).collect() }
}

fn output_of(v: &Value) -> Option<Output> {
    Some(match v {
        Value::FloatTensor(t) => output(FLOAT, t, f32::to_le_bytes),
        Value::Int32Tensor(t) => output(INT32, t, i32::to_le_bytes),
        Value::UInt8Tensor(t) => output(UINT8, t, u8::to_le_bytes),
        Value::Int8Tensor(t) => output(INT8, t, i8::to_le_bytes),
        _ => return None,
    })
}

/// The version of rten: shim-<version>.toml gives this crate the same.
#[no_mangle]
pub extern "C" fn shim_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[no_mangle]
pub extern "C" fn shim_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}

#[no_mangle]
pub extern "C" fn shim_load(data: *const u8, size: usize, optimize: i32) -> *mut Model {
    let bytes = unsafe { std::slice::from_raw_parts(data, size) }.to_vec();
    match ModelOptions::with_all_ops().enable_optimization(optimize != 0).load(bytes) {
        Ok(model) => Box::into_raw(Box::new(model)),
        Err(e) => fail(e),
    }
}

#[no_mangle]
pub extern "C" fn shim_unload(model: *mut Model) {
    drop(unsafe { Box::from_raw(model) });
}

fn run(model: &Model, inputs: &[ShimTensor], wanted: &[*const c_char]) -> Result<Vec<Output>, String> {
    let mut given: Vec<(rten::NodeId, ValueOrView)> = Vec::new();
    for t in inputs {
        let id = model.node_id(text(t.name)).map_err(|e| e.to_string())?;
        given.push((id, value_of(t).ok_or("unsupported type of an input")?.into()));
    }
    let ids: Result<Vec<_>, _> = wanted.iter().map(|name| model.node_id(text(*name))).collect();
    let values = model.run(given, &ids.map_err(|e| e.to_string())?, None).map_err(|e| e.to_string())?;
    values.iter().map(|v| output_of(v).ok_or("unsupported type of an output".to_string())).collect()
}

/// Outputs in the order of the names, to be read with the functions below and freed with `shim_free`.
#[no_mangle]
pub extern "C" fn shim_run(
    model: *const Model,
    inputs: *const ShimTensor,
    n_in: usize,
    names: *const *const c_char,
    n_out: usize,
) -> *mut Vec<Output> {
    let inputs = if n_in == 0 { &[] } else { unsafe { std::slice::from_raw_parts(inputs, n_in) } };
    let names = if n_out == 0 { &[] } else { unsafe { std::slice::from_raw_parts(names, n_out) } };
    match run(unsafe { &*model }, inputs, names) {
        Ok(outputs) => Box::into_raw(Box::new(outputs)),
        Err(e) => fail(e),
    }
}

/// Output `i`, as a tensor whose pointers live until `shim_free`.
#[no_mangle]
pub extern "C" fn shim_output(outputs: *const Vec<Output>, i: usize, tensor: *mut ShimTensor) {
    let o = &unsafe { &*outputs }[i];
    let (rank, dims, data) = (o.dims.len() as u32, o.dims.as_ptr(), o.bytes.as_ptr());
    unsafe { *tensor = ShimTensor { name: std::ptr::null(), dtype: o.dtype, rank, dims, data } };
}

#[no_mangle]
pub extern "C" fn shim_free(outputs: *mut Vec<Output>) {
    drop(unsafe { Box::from_raw(outputs) });
}
