import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutApart, shortKernelNames } from '../src/text/kernel_names.ts';
import { hostile } from './sample_report.ts';

const shortOf = (...names: string[]): string[] => [...shortKernelNames(names).values()];

test('a function without its namespaces, parameters and arguments', () => {
  const softmax =
    'void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, c10::BFloat16>(float*, c10::BFloat16 const*, int)';
  assert.deepEqual(shortOf(softmax, 'saxpy(int, float*)', 'ampere_sgemm_128x128_tn'), [
    'cunn_SoftMaxForward',
    'saxpy',
    'ampere_sgemm_128x128_tn',
  ]);
});

test('what a kernel applies is told also where nothing else has its name', () => {
  const fill =
    'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>)';
  assert.deepEqual(shortOf(fill), ['vectorized_elementwise_kernel<FillFunctor<float>>']);
  const lambda =
    'void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::(anonymous namespace)::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#14}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, at::native::(anonymous namespace)::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#14}::operator()() const::{lambda(float)#1} const&)::{lambda(int)#1}>(int)';
  assert.deepEqual(shortOf(lambda), ['elementwise_kernel<direct_copy_kernel_cuda(float)>']);
});

test('only arguments that differ are shown, as few as needed', () => {
  assert.deepEqual(shortOf('void f<1, 2, a::T>(int)', 'void f<1, 3, a::T>(int)'), ['f<2>', 'f<3>']);
  assert.deepEqual(shortOf('void f<(int)1, (bool)0>(int)', 'void f<(int)1, (bool)1>(int)'), ['f<0>', 'f<1>']);
});

test('no two names look alike: parameters or the whole name tell them apart where arguments do not', () => {
  assert.deepEqual(shortOf('f(int)', 'f(float)'), ['f(int)', 'f(float)']);
  assert.deepEqual(shortOf('a::f(int)', 'b::f(int)', 'f'), ['a::f(int)', 'b::f(int)', 'f']);
  assert.deepEqual(shortOf('g', 'g(int)'), ['g', 'g(int)']);
});

test('what is no declaration stays', () => {
  const odd = [...Object.values(hostile), '', '<', 'a<(', 'operator<', '()', 'x<<<1,2>>>(', '>>)('];
  const short = shortKernelNames(odd);
  assert.deepEqual([...short.keys()], [...new Set(odd)]);
  assert.equal(new Set(short.values()).size, short.size);
});

test('long names are read in no time', () => {
  const began = performance.now();
  shortKernelNames([`f<${'a<'.repeat(3900)}`, `f<${'a::'.repeat(2600)}x>(${'('.repeat(100)}`, 'x'.repeat(1e6)]);
  assert.ok(performance.now() - began < 1000);
});

test('texts that a cut makes alike show where they differ', () => {
  const name = (middle: string) => `sm90_xmma_gemm_${'x'.repeat(40)}_${middle}_${'y'.repeat(40)}_cublas`;
  const cut = cutApart([name('128x64'), name('128x32'), 'short'], 40);
  assert.equal(new Set(cut).size, 3);
  assert.ok(
    cut.every((text) => text.length <= 40),
    String(cut),
  );
  assert.ok(cut[0]!.includes('64') && cut[1]!.includes('32'), String(cut));
});

test('texts that differ nowhere that fits are numbered', () => {
  const name = (a: string, b: string) => `kernel_${'x'.repeat(60)}${a}${'y'.repeat(60)}${b}${'z'.repeat(60)}`;
  const texts = [name('1', '1'), name('1', '2'), name('2', '1'), name('2', '2')];
  for (const most of [12, 20, 40]) assert.equal(new Set(cutApart(texts, most)).size, 4);
  assert.deepEqual(cutApart(['same', 'same'], 12), ['same', 'same']);
});
