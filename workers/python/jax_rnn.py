"""ONNX operators in JAX: RNN, GRU and LSTM, as onnx_rnn.py writes them."""

import onnx_rnn
from jax_calls import jax, jnp


class Functions:
    """What onnx_rnn.py needs of JAX."""

    relu, tanh, sigmoid = staticmethod(jax.nn.relu), staticmethod(jnp.tanh), staticmethod(jax.nn.sigmoid)
    softsign, softplus = staticmethod(jax.nn.soft_sign), staticmethod(jax.nn.softplus)
    elu, clip, where = staticmethod(jax.nn.elu), staticmethod(jnp.clip), staticmethod(jnp.where)
    split, stack, zeros = staticmethod(jnp.split), staticmethod(jnp.stack), staticmethod(jnp.zeros)
    swapaxes, transpose, shape = staticmethod(jnp.swapaxes), staticmethod(jnp.transpose), staticmethod(jnp.shape)

    @staticmethod
    def dot(a, b):
        return jnp.matmul(a, b.T)


TABLE = onnx_rnn.table(Functions)
