"""The lab's own certificate authority, and what the control plane needs from it."""

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

KEY_BITS = 2048
VALID_DAYS = 365


def write_certificates(folder: Path, service_ip: str) -> None:
    """Write ``ca.crt``, ``apiserver.crt``, ``apiserver.key`` and ``service-account.key``.

    Args:
        folder: Where to write them.
        service_ip: Address of the service ``kubernetes``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    authority_key, authority = _authority()
    key = _key()
    names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]
    addresses = [ipaddress.ip_address(text) for text in ("127.0.0.1", service_ip)]
    alternatives = [*(x509.DNSName(name) for name in names), *(x509.IPAddress(address) for address in addresses)]
    certificate = (
        _builder("kube-apiserver", authority.subject, key)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    _write(folder / "ca.crt", authority.public_bytes(serialization.Encoding.PEM))
    _write(folder / "apiserver.crt", certificate.public_bytes(serialization.Encoding.PEM))
    _write(folder / "apiserver.key", _pem(key))
    _write(folder / "service-account.key", _pem(_key()))


def _authority() -> tuple[rsa.RSAPrivateKey, x509.Certificate]:
    key = _key()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "karpenter-eks lab")])
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        _builder("karpenter-eks lab", name, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    return key, certificate


def _builder(name: str, issuer: x509.Name, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
    )


def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)


def _pem(key: rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def _write(file: Path, content: bytes) -> None:
    file.touch(mode=0o600)
    file.write_bytes(content)
